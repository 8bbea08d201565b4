import { createFileRoute } from '@tanstack/react-router';
import { OrganizationTypesPage } from '@/features/admin/lists/pages';
import { listSearch } from '@/shared/table/listSearch';

export const Route = createFileRoute('/_app/admin/organizationtypes')({ validateSearch: listSearch, component: OrganizationTypesPage });
