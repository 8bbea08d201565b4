import { createFileRoute } from '@tanstack/react-router';
import { guard } from '@/app/session';
import { AccountDashboard } from '@/features/dashboard/AccountDashboard';

export const Route = createFileRoute('/_app/account/dashboard')({
  beforeLoad: guard({ landingRoles: ['Administrator'] }),
  component: AccountDashboard,
});
