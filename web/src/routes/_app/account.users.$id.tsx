import { createFileRoute } from '@tanstack/react-router';
import { UserPage } from '@/features/account/users/UserPage';

export const Route = createFileRoute('/_app/account/users/$id')({
  component: Page,
});

function Page() {
  const { id } = Route.useParams();
  return <UserPage key={id} id={id} />;
}
