import { createFileRoute, redirect } from '@tanstack/react-router';
import { NetworkPage } from '@/features/admin/networks/NetworkPage';
import { isNetworkTab } from '@/features/admin/networks/search';
import { paths } from '@/shared/paths';
import { listSearch } from '@/shared/table/listSearch';

export const Route = createFileRoute('/_app/networks/$id/$tab')({
  validateSearch: listSearch,
  beforeLoad: ({ params }) => {
    if (!isNetworkTab(params.tab)) throw redirect({ href: paths.network(params.id), replace: true });
  },
  component: Page,
});

function Page() {
  const { id, tab } = Route.useParams();
  return <NetworkPage key={id} id={id} tab={isNetworkTab(tab) ? tab : 'details'} />;
}
