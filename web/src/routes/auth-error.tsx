import { createFileRoute } from '@tanstack/react-router';
import { AuthErrorPage } from '@/features/auth/pages';

export const Route = createFileRoute('/auth-error')({ component: AuthErrorPage });
