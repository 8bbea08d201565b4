import { createFileRoute } from '@tanstack/react-router';
import { SupportPage } from '@/features/support/SupportPage';
import { listSearch } from '@/shared/table/listSearch';

export const Route = createFileRoute('/_app/account/support')({
  validateSearch: listSearch,
  component: SupportPage,
});
