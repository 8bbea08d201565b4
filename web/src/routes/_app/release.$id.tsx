import { createFileRoute } from '@tanstack/react-router';
import { SentPage } from '@/features/release/view/SentPage';

export const Route = createFileRoute('/_app/release/$id')({
  component: Page,
});

function Page() {
  const { id } = Route.useParams();
  return <SentPage key={id} id={id} />;
}
