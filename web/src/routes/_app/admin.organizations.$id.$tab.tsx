import { createFileRoute, redirect } from '@tanstack/react-router';
import { guard } from '@/app/session';
import { OrganizationEditPage } from '@/features/admin/organizations/OrganizationEditPage';
import { isTab } from '@/features/admin/organizations/search';
import { paths } from '@/shared/paths';

export const Route = createFileRoute('/_app/admin/organizations/$id/$tab')({
  beforeLoad: async ({ location, params }) => {
    await guard({ roles: ['SysAdmin'] })({ location });
    if (!isTab(params.tab)) throw redirect({ href: paths.adminOrganization(params.id), replace: true });
  },
  component: Page,
});

function Page() {
  const { id, tab } = Route.useParams();
  return <OrganizationEditPage key={id} id={id} tab={isTab(tab) ? tab : 'details'} />;
}
