import { createFileRoute } from '@tanstack/react-router';
import { guard } from '@/app/session';
import { MessagingDashboard } from '@/features/dashboard/MessagingDashboard';

export const Route = createFileRoute('/_app/admin/dashboard/messaging')({
  beforeLoad: guard({ roles: ['SysAdmin', 'SysAdminReporting'] }),
  component: MessagingDashboard,
});
