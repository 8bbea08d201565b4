import { createFileRoute } from '@tanstack/react-router';
import { DraftPage } from '@/features/release/compose/pages';
import { returnSearch } from '@/features/release/compose/search';

export const Route = createFileRoute('/_app/release/forward/draft/$id')({
  validateSearch: returnSearch,
  component: Page,
});

function Page() {
  const { id } = Route.useParams();
  return <DraftPage key={id} id={id} returnUrl={Route.useSearch().returnUrl} />;
}
