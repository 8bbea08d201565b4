import { createFileRoute } from '@tanstack/react-router';
import { AddressesPage } from '@/features/account/addresses/AddressesPage';
import { listSearch } from '@/shared/table/listSearch';

export const Route = createFileRoute('/_app/account/settings/directaddresses')({
  validateSearch: listSearch,
  component: AddressesPage,
});
