import { createFileRoute } from '@tanstack/react-router';
import { AccountDashboard } from '@/features/dashboard/AccountDashboard';

export const Route = createFileRoute('/_app/account/dashboard')({
  component: AccountDashboard,
});
