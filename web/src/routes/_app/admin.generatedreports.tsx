import { createFileRoute } from '@tanstack/react-router';
import { GeneratedReportsPage } from '@/features/admin/reports/GeneratedReportsPage';
import { listSearch } from '@/shared/table/listSearch';

export const Route = createFileRoute('/_app/admin/generatedreports')({
  validateSearch: listSearch,
  component: GeneratedReportsPage,
});
