import { createFileRoute } from '@tanstack/react-router';
import { ServiceAccountsPage } from '@/features/account/service/ServiceAccountsPage';
import { listSearch } from '@/shared/table/listSearch';

export const Route = createFileRoute('/_app/account/settings/serviceaccounts')({
  validateSearch: listSearch,
  component: ServiceAccountsPage,
});
