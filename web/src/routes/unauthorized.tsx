import { createFileRoute } from '@tanstack/react-router';
import { UnauthorizedPage } from '@/features/auth/pages';

export const Route = createFileRoute('/unauthorized')({ component: UnauthorizedPage });
