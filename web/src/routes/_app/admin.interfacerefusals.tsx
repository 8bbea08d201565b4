import { createFileRoute } from '@tanstack/react-router';
import { InterfacesPage } from '@/features/admin/interfaces/InterfacesPage';
import { listSearch } from '@/shared/table/listSearch';

export const Route = createFileRoute('/_app/admin/interfacerefusals')({
  validateSearch: listSearch,
  component: () => <InterfacesPage tab="refused" />,
});
