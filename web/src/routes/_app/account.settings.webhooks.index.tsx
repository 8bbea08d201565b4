import { createFileRoute } from '@tanstack/react-router';
import { WebhooksPage } from '@/features/webhooks/WebhooksPage';
import { listSearch } from '@/shared/table/listSearch';

export const Route = createFileRoute('/_app/account/settings/webhooks/')({
  validateSearch: listSearch,
  component: WebhooksPage,
});
