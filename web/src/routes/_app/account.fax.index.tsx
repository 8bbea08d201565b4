import { createFileRoute } from '@tanstack/react-router';
import { FaxPage } from '@/features/account/fax/FaxPage';
import { logSearch } from '@/features/account/fax/search';

export const Route = createFileRoute('/_app/account/fax/')({
  validateSearch: logSearch,
  component: () => <FaxPage tab="log" />,
});
