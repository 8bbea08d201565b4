import { createFileRoute } from '@tanstack/react-router';
import { ImportsPage } from '@/features/admin/imports/ImportsPage';

export const Route = createFileRoute('/_app/admin/batchimports/organizations')({ component: Page });

function Page() {
  return <ImportsPage tab="organizations" />;
}
