import { createFileRoute } from '@tanstack/react-router';
import { UnsupportedBrowserPage } from '@/features/auth/pages';

export const Route = createFileRoute('/unsupportedbrowser')({ component: UnsupportedBrowserPage });
