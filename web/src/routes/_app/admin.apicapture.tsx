import { createFileRoute } from '@tanstack/react-router';
import { ApiCapturePage } from '@/features/admin/apicapture/ApiCapturePage';
import { filteredSearch } from '@/shared/table/listSearch';

export const Route = createFileRoute('/_app/admin/apicapture')({
  validateSearch: filteredSearch('start', 'end', 'tenantId', 'networkId', 'userId', 'url', 'method', 'statusCode'),
  component: ApiCapturePage,
});
