import { createFileRoute } from '@tanstack/react-router';
import { ResellersPage } from '@/features/admin/plans/ResellersPage';
import { listSearch } from '@/shared/table/listSearch';

export const Route = createFileRoute('/_app/admin/resellers')({ validateSearch: listSearch, component: ResellersPage });
