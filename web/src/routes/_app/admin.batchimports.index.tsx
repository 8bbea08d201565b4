import { createFileRoute } from '@tanstack/react-router';
import { ImportsPage } from '@/features/admin/imports/ImportsPage';
import { filteredSearch } from '@/shared/table/listSearch';

export const Route = createFileRoute('/_app/admin/batchimports/')({ validateSearch: filteredSearch('batch', 'status'), component: Page });

function Page() {
  return <ImportsPage tab="status" />;
}
