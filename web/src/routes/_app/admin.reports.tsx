import { createFileRoute } from '@tanstack/react-router';
import { guard } from '@/app/session';
import { ReportsPage } from '@/features/admin/reports/ReportsPage';

export const Route = createFileRoute('/_app/admin/reports')({
  beforeLoad: guard({ roles: ['SysAdmin', 'SysAdminReporting'] }),
  component: ReportsPage,
});
