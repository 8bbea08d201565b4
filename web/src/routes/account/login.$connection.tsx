import { createFileRoute } from '@tanstack/react-router';
import { rememberConnection } from '@/app/redirectMemory';
import { SignInPage } from '@/features/auth/SignInPage';

export const Route = createFileRoute('/account/login/$connection')({
  beforeLoad: ({ params }) => rememberConnection(params.connection),
  component: SignInPage,
});
