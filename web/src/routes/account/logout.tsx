import { createFileRoute } from '@tanstack/react-router';
import { signOut } from '@/app/session';
import { SignedOutPage } from '@/features/auth/pages';

export const Route = createFileRoute('/account/logout')({ beforeLoad: () => signOut(), component: SignedOutPage });
