import { createFileRoute } from '@tanstack/react-router';
import { QuarantinePage } from '@/features/admin/quarantine/QuarantinePage';
import { filteredSearch } from '@/shared/table/listSearch';

export const Route = createFileRoute('/_app/admin/quarantine')({
  validateSearch: filteredSearch('state'),
  component: QuarantinePage,
});
