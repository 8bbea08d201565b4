import { createFileRoute } from '@tanstack/react-router';
import { NewReleasePage } from '@/features/release/compose/pages';
import { returnSearch } from '@/features/release/compose/search';

export const Route = createFileRoute('/_app/release/new')({
  validateSearch: returnSearch,
  component: Page,
});

function Page() {
  return <NewReleasePage returnUrl={Route.useSearch().returnUrl} />;
}
