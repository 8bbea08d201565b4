import { createFileRoute } from '@tanstack/react-router';
import { ForwardPage } from '@/features/release/compose/pages';
import { returnSearch } from '@/features/release/compose/search';

export const Route = createFileRoute('/_app/release/forward/$id')({
  validateSearch: returnSearch,
  component: Page,
});

function Page() {
  const { id } = Route.useParams();
  return <ForwardPage key={id} id={id} returnUrl={Route.useSearch().returnUrl} />;
}
