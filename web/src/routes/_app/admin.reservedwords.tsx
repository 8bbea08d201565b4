import { createFileRoute } from '@tanstack/react-router';
import { ReservedWordsPage } from '@/features/admin/lists/ReservedWordsPage';
import { filteredSearch } from '@/shared/table/listSearch';

export const Route = createFileRoute('/_app/admin/reservedwords')({
  validateSearch: filteredSearch('profanity'),
  component: ReservedWordsPage,
});
