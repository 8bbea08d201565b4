import { createFileRoute, redirect } from '@tanstack/react-router';
import { OrganizationEditPage } from '@/features/admin/organizations/OrganizationEditPage';
import { isTab, tabOfPath } from '@/features/admin/organizations/search';
import { paths } from '@/shared/paths';
import { filteredSearch } from '@/shared/table/listSearch';

export const Route = createFileRoute('/_app/admin/organizations/$id/$tab')({
  // Data of the tabs Direct and Carequality.
  validateSearch: filteredSearch('list', 'responderType'),
  beforeLoad: ({ params }) => {
    if (isTab(params.tab)) return;
    throw redirect({ href: paths.adminOrganization(params.id, tabOfPath(params.tab)), replace: true });
  },
  component: Page,
});

function Page() {
  const { id, tab } = Route.useParams();
  return <OrganizationEditPage key={id} id={id} tab={isTab(tab) ? tab : 'details'} />;
}
