import { createFileRoute } from '@tanstack/react-router';
import { RoutingRulesPage } from '@/features/admin/routing/RoutingRulesPage';
import { listSearch } from '@/shared/table/listSearch';

export const Route = createFileRoute('/_app/admin/messageroutingrules')({
  validateSearch: listSearch,
  component: RoutingRulesPage,
});
