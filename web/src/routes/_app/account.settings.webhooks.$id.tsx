import { createFileRoute } from '@tanstack/react-router';
import { DeliveriesPage } from '@/features/webhooks/DeliveriesPage';
import { filteredSearch } from '@/shared/table/listSearch';

export const Route = createFileRoute('/_app/account/settings/webhooks/$id')({
  validateSearch: filteredSearch('status'),
  component: Page,
});

function Page() {
  const { id } = Route.useParams();
  return <DeliveriesPage key={id} id={id} />;
}
