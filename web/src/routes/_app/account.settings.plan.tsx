import { createFileRoute } from '@tanstack/react-router';
import { PlanPage } from '@/features/subscription/PlanPage';

export const Route = createFileRoute('/_app/account/settings/plan')({
  component: PlanPage,
});
