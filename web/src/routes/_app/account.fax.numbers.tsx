import { createFileRoute } from '@tanstack/react-router';
import { guard } from '@/app/session';
import { FaxPage } from '@/features/account/fax/FaxPage';
import { listSearch } from '@/shared/table/listSearch';

export const Route = createFileRoute('/_app/account/fax/numbers')({
  validateSearch: listSearch,
  beforeLoad: guard({ roles: ['Administrator'] }),
  component: () => <FaxPage tab="numbers" />,
});
