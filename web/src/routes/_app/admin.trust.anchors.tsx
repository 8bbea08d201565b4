import { createFileRoute } from '@tanstack/react-router';
import { TrustPage } from '@/features/admin/trust/TrustPage';
import { listSearch } from '@/shared/table/listSearch';

export const Route = createFileRoute('/_app/admin/trust/anchors')({ validateSearch: listSearch, component: Page });

function Page() {
  return <TrustPage tab="anchors" />;
}
