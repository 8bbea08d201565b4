import { createFileRoute, redirect } from '@tanstack/react-router';
import { paths } from '@/shared/paths';

export const Route = createFileRoute('/_app/admin/organizations/add/')({
  beforeLoad: () => {
    throw redirect({ href: paths.adminOrganizationAdd(), replace: true });
  },
});
