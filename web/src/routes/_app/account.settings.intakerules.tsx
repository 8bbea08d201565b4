import { createFileRoute } from '@tanstack/react-router';
import { IntakeRulesPage } from '@/features/account/intakerules/IntakeRulesPage';
import { listSearch } from '@/shared/table/listSearch';

export const Route = createFileRoute('/_app/account/settings/intakerules')({
  validateSearch: listSearch,
  component: IntakeRulesPage,
});
