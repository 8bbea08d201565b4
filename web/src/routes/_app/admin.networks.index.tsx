import { createFileRoute } from '@tanstack/react-router';
import { guard } from '@/app/session';
import { NetworksPage } from '@/features/admin/networks/NetworksPage';
import { listSearch } from '@/shared/table/listSearch';

export const Route = createFileRoute('/_app/admin/networks/')({
  validateSearch: listSearch,
  beforeLoad: guard({ roles: ['SysAdmin'] }),
  component: NetworksPage,
});
