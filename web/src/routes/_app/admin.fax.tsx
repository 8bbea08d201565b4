import { createFileRoute } from '@tanstack/react-router';
import { guard } from '@/app/session';
import { QueuePage } from '@/features/admin/fax/QueuePage';
import { listSearch } from '@/shared/table/listSearch';

export const Route = createFileRoute('/_app/admin/fax')({
  validateSearch: listSearch,
  beforeLoad: guard({ roles: ['SysAdmin'] }),
  component: QueuePage,
});
