import { createFileRoute } from '@tanstack/react-router';
import { IntegrationsPage } from '@/features/admin/integrations/IntegrationsPage';
import { filteredSearch } from '@/shared/table/listSearch';

export const Route = createFileRoute('/_app/admin/integrationswhitelist')({
  validateSearch: filteredSearch('integration'),
  component: () => <IntegrationsPage tab="whitelist" />,
});
