import { createFileRoute, redirect } from '@tanstack/react-router';
import { paths } from '@/shared/paths';

export const Route = createFileRoute('/_app/admin/organizations/$id/')({
  beforeLoad: ({ params }) => {
    throw redirect({ href: paths.adminOrganization(params.id), replace: true });
  },
});
