import { createFileRoute } from '@tanstack/react-router';
import { EmergenciesPage } from '@/features/admin/emergencies/EmergenciesPage';
import { listSearch } from '@/shared/table/listSearch';

export const Route = createFileRoute('/_app/admin/emergencies/')({ validateSearch: listSearch, component: Page });

function Page() {
  return <EmergenciesPage tab="emergencies" />;
}
