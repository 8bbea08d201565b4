import { createFileRoute, redirect } from '@tanstack/react-router';
import { OrganizationEditPage } from '@/features/admin/organizations/OrganizationEditPage';
import { isTab } from '@/features/admin/organizations/search';
import { paths } from '@/shared/paths';
import { listSearch } from '@/shared/table/listSearch';

export const Route = createFileRoute('/_app/admin/organizations/$id/$tab')({
  validateSearch: listSearch,
  beforeLoad: ({ params }) => {
    if (params.tab === 'cq') throw redirect({ href: paths.adminOrganization(params.id, 'carequality'), replace: true });
    if (!isTab(params.tab)) throw redirect({ href: paths.adminOrganization(params.id), replace: true });
  },
  component: Page,
});

function Page() {
  const { id, tab } = Route.useParams();
  return <OrganizationEditPage key={id} id={id} tab={isTab(tab) ? tab : 'details'} />;
}
