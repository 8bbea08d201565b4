import { createFileRoute } from '@tanstack/react-router';
import { onlySignedIn } from '@/app/session';
import { UnauthorizedPage } from '@/features/auth/pages';

export const Route = createFileRoute('/unauthorized')({ beforeLoad: onlySignedIn, component: UnauthorizedPage });
