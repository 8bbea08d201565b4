import { createFileRoute } from '@tanstack/react-router';
import { IntegrationsPage } from '@/features/integrations/IntegrationsPage';
import { filteredSearch } from '@/shared/table/listSearch';

export const Route = createFileRoute('/_app/account/settings/integrations')({
  validateSearch: filteredSearch('state', 'kind'),
  component: IntegrationsPage,
});
