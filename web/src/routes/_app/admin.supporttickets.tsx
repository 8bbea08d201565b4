import { createFileRoute } from '@tanstack/react-router';
import { SupportTicketsPage } from '@/features/support/SupportTicketsPage';
import { filteredSearch } from '@/shared/table/listSearch';

export const Route = createFileRoute('/_app/admin/supporttickets')({
  validateSearch: filteredSearch('state'),
  component: SupportTicketsPage,
});
