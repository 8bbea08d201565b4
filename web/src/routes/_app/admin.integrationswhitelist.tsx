import { createFileRoute } from '@tanstack/react-router';
import { WhitelistPage } from '@/features/admin/integrations/WhitelistPage';
import { filteredSearch } from '@/shared/table/listSearch';

export const Route = createFileRoute('/_app/admin/integrationswhitelist')({
  validateSearch: filteredSearch('integration'),
  component: WhitelistPage,
});
