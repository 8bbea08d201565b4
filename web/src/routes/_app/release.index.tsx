import { createFileRoute } from '@tanstack/react-router';
import { ReleasePage } from '@/features/release/list/ReleasePage';
import { releaseSearch } from '@/features/release/list/search';

export const Route = createFileRoute('/_app/release/')({
  validateSearch: releaseSearch,
  component: ReleasePage,
});
