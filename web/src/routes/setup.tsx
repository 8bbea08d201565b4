import { createFileRoute } from '@tanstack/react-router';
import { FirstOperatorPage } from '@/features/auth/FirstOperatorPage';

export const Route = createFileRoute('/setup')({ component: FirstOperatorPage });
