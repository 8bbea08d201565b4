import { createFileRoute } from '@tanstack/react-router';
import { QueuePage } from '@/features/admin/fax/QueuePage';
import { listSearch } from '@/shared/table/listSearch';

export const Route = createFileRoute('/_app/admin/fax')({
  validateSearch: listSearch,
  component: QueuePage,
});
