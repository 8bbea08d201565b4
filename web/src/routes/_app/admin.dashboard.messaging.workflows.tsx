import { createFileRoute } from '@tanstack/react-router';
import { RunsPage } from '@/features/admin/runs/RunsPage';
import { runsSearch } from '@/features/admin/runs/search';

export const Route = createFileRoute('/_app/admin/dashboard/messaging/workflows')({
  validateSearch: runsSearch,
  component: RunsPage,
});
