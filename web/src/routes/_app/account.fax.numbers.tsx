import { createFileRoute } from '@tanstack/react-router';
import { FaxPage } from '@/features/account/fax/FaxPage';
import { listSearch } from '@/shared/table/listSearch';

export const Route = createFileRoute('/_app/account/fax/numbers')({
  validateSearch: listSearch,
  component: () => <FaxPage tab="numbers" />,
});
