import { createFileRoute } from '@tanstack/react-router';
import { rememberConnection } from '@/app/redirectMemory';
import { ProviderPage } from '@/features/auth/ProviderPage';

export const Route = createFileRoute('/account/login/$connection')({
  beforeLoad: ({ params }) => rememberConnection(params.connection),
  component: SignInByProvider,
});

function SignInByProvider() {
  return <ProviderPage connection={Route.useParams().connection} />;
}
