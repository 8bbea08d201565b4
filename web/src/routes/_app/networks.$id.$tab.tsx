import { createFileRoute, redirect } from '@tanstack/react-router';
import { guard } from '@/app/session';
import { NetworkPage } from '@/features/admin/networks/NetworkPage';
import { isNetworkTab } from '@/features/admin/networks/search';
import { paths } from '@/shared/paths';
import { listSearch } from '@/shared/table/listSearch';

export const Route = createFileRoute('/_app/networks/$id/$tab')({
  validateSearch: listSearch,
  beforeLoad: async ({ location, params }) => {
    await guard({ roles: ['SysAdmin'], networkAdmins: true })({ location });
    if (!isNetworkTab(params.tab)) throw redirect({ href: paths.network(params.id), replace: true });
  },
  component: Page,
});

function Page() {
  const { id, tab } = Route.useParams();
  return <NetworkPage key={id} id={id} tab={isNetworkTab(tab) ? tab : 'details'} />;
}
