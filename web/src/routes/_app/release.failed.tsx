import { createFileRoute } from '@tanstack/react-router';
import { FailedPage } from '@/features/release/failed/FailedPage';
import { failedSearch } from '@/features/release/failed/search';

export const Route = createFileRoute('/_app/release/failed')({
  validateSearch: failedSearch,
  component: FailedPage,
});
