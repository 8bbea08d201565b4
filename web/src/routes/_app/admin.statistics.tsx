import { createFileRoute } from '@tanstack/react-router';
import { StatisticsPage } from '@/features/admin/statistics/StatisticsPage';

export const Route = createFileRoute('/_app/admin/statistics')({
  component: StatisticsPage,
});
