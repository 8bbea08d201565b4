import { createFileRoute } from '@tanstack/react-router';
import { PlansPage } from '@/features/admin/plans/PlansPage';
import { listSearch } from '@/shared/table/listSearch';

export const Route = createFileRoute('/_app/admin/plans')({ validateSearch: listSearch, component: PlansPage });
