import { createFileRoute } from '@tanstack/react-router';
import { InterfacesPage } from '@/features/admin/interfaces/InterfacesPage';
import { filteredSearch } from '@/shared/table/listSearch';

export const Route = createFileRoute('/_app/admin/inboundconnections')({
  validateSearch: filteredSearch('kind'),
  component: () => <InterfacesPage tab="connections" />,
});
