import { createFileRoute } from '@tanstack/react-router';
import { NetworksPage } from '@/features/admin/networks/NetworksPage';
import { listSearch } from '@/shared/table/listSearch';

export const Route = createFileRoute('/_app/admin/networks/')({
  validateSearch: listSearch,
  component: NetworksPage,
});
