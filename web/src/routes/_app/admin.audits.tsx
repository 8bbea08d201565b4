import { createFileRoute } from '@tanstack/react-router';
import { AuditsPage } from '@/features/admin/audits/AuditsPage';
import { filteredSearch } from '@/shared/table/listSearch';

export const Route = createFileRoute('/_app/admin/audits')({
  validateSearch: filteredSearch('start', 'end', 'username', 'event'),
  component: AuditsPage,
});
