import { createFileRoute } from '@tanstack/react-router';
import { guard } from '@/app/session';
import { PlanPage } from '@/features/subscription/PlanPage';

export const Route = createFileRoute('/_app/account/settings/plan')({
  beforeLoad: guard({ roles: ['Administrator'] }),
  component: PlanPage,
});
