import { createFileRoute } from '@tanstack/react-router';
import { ReplyPage } from '@/features/release/compose/pages';
import { returnSearch } from '@/features/release/compose/search';

export const Route = createFileRoute('/_app/release/reply/$id')({
  validateSearch: returnSearch,
  component: Page,
});

function Page() {
  const { id } = Route.useParams();
  return <ReplyPage key={id} id={id} returnUrl={Route.useSearch().returnUrl} />;
}
