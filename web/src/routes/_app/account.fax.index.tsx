import { createFileRoute } from '@tanstack/react-router';
import { guard } from '@/app/session';
import { FaxPage } from '@/features/account/fax/FaxPage';
import { logSearch } from '@/features/account/fax/search';

export const Route = createFileRoute('/_app/account/fax/')({
  validateSearch: logSearch,
  beforeLoad: guard({ roles: ['Administrator'] }),
  component: () => <FaxPage tab="log" />,
});
