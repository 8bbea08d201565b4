import { createFileRoute } from '@tanstack/react-router';
import { TrustPage } from '@/features/admin/trust/TrustPage';

export const Route = createFileRoute('/_app/admin/trust/own')({ component: Page });

function Page() {
  return <TrustPage tab="own" />;
}
