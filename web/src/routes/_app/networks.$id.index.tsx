import { createFileRoute, redirect } from '@tanstack/react-router';
import { paths } from '@/shared/paths';

export const Route = createFileRoute('/_app/networks/$id/')({
  beforeLoad: ({ params }) => {
    throw redirect({ href: paths.network(params.id), replace: true });
  },
});
