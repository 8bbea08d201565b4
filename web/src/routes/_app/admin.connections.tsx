import { createFileRoute } from '@tanstack/react-router';
import { IntegrationsPage } from '@/features/admin/integrations/IntegrationsPage';
import { filteredSearch } from '@/shared/table/listSearch';

export const Route = createFileRoute('/_app/admin/connections')({
  validateSearch: filteredSearch('kind', 'failing'),
  component: () => <IntegrationsPage tab="connections" />,
});
