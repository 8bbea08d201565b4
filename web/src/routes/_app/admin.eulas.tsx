import { createFileRoute } from '@tanstack/react-router';
import { queryClient } from '@/app/session';
import { eulasAt } from '@/features/admin/eulas/api';
import { EulasPage } from '@/features/admin/eulas/EulasPage';
import { listSearch } from '@/shared/table/listSearch';

export const Route = createFileRoute('/_app/admin/eulas')({
  validateSearch: listSearch,
  // Once, for the initial URL; the list follows its later changes.
  loader: ({ location }) => queryClient.prefetchQuery(eulasAt(listSearch(location.search as Record<string, unknown>))),
  component: EulasPage,
});
