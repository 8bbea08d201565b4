import { createFileRoute } from '@tanstack/react-router';
import { queryClient } from '@/app/session';
import { configurationQuery } from '@/features/admin/organizations/api';
import { OrganizationsPage } from '@/features/admin/organizations/OrganizationsPage';
import { organizationsSearch } from '@/features/admin/organizations/search';

export const Route = createFileRoute('/_app/admin/organizations/')({
  validateSearch: organizationsSearch,
  // The columns depend on it; without an answer there is no capture.
  loader: () => queryClient.prefetchQuery(configurationQuery),
  component: OrganizationsPage,
});
