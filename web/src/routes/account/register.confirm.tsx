import { createFileRoute } from '@tanstack/react-router';
import { ConfirmRegistrationPage } from '@/features/auth/ConfirmRegistrationPage';

export const Route = createFileRoute('/account/register/confirm')({ component: ConfirmRegistrationPage });
