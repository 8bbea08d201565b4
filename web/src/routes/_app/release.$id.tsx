import { createFileRoute } from '@tanstack/react-router';
import { guard } from '@/app/session';
import { SentPage } from '@/features/release/view/SentPage';

export const Route = createFileRoute('/_app/release/$id')({
  beforeLoad: guard({ landingRoles: ['Administrator', 'User'] }),
  component: Page,
});

function Page() {
  const { id } = Route.useParams();
  return <SentPage key={id} id={id} />;
}
