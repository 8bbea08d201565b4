import { createFileRoute } from '@tanstack/react-router';
import { HispProvidersPage } from '@/features/admin/lists/pages';
import { listSearch } from '@/shared/table/listSearch';

export const Route = createFileRoute('/_app/admin/hispproviders')({ validateSearch: listSearch, component: HispProvidersPage });
