import { createFileRoute, redirect } from '@tanstack/react-router';
import { AddOrganizationPage } from '@/features/admin/organizations/OrganizationEditPage';
import { isFormTab } from '@/features/admin/organizations/search';
import { paths } from '@/shared/paths';

export const Route = createFileRoute('/_app/admin/organizations/add/$tab')({
  beforeLoad: ({ params }) => {
    if (!isFormTab(params.tab)) throw redirect({ href: paths.adminOrganizationAdd(), replace: true });
  },
  component: Page,
});

function Page() {
  const { tab } = Route.useParams();
  return <AddOrganizationPage tab={isFormTab(tab) ? tab : 'details'} />;
}
