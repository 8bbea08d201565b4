import { createFileRoute } from '@tanstack/react-router';
import { guard } from '@/app/session';
import { UserPage } from '@/features/account/users/UserPage';

export const Route = createFileRoute('/_app/account/users/$id')({
  beforeLoad: guard({ roles: ['Administrator'] }),
  component: Page,
});

function Page() {
  const { id } = Route.useParams();
  return <UserPage key={id} id={id} />;
}
