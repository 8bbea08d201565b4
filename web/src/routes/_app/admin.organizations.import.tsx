import { createFileRoute, redirect } from '@tanstack/react-router';
import { paths } from '@/shared/paths';

export const Route = createFileRoute('/_app/admin/organizations/import')({
  beforeLoad: () => {
    throw redirect({ href: paths.adminImports('organizations'), replace: true });
  },
});
