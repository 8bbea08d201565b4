import { createFileRoute } from '@tanstack/react-router';
import { MessagingDashboard } from '@/features/dashboard/MessagingDashboard';

export const Route = createFileRoute('/_app/admin/dashboard/messaging/')({
  component: MessagingDashboard,
});
