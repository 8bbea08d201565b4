import { createFileRoute } from '@tanstack/react-router';
import { NewReleasePage } from '@/features/release/compose/pages';
import { newReleaseSearch } from '@/features/release/compose/search';

export const Route = createFileRoute('/_app/release/new')({
  validateSearch: newReleaseSearch,
  component: Page,
});

function Page() {
  return <NewReleasePage {...Route.useSearch()} />;
}
