import { createFileRoute } from '@tanstack/react-router';
import { LicenceTypesPage } from '@/features/admin/lists/pages';
import { listSearch } from '@/shared/table/listSearch';

export const Route = createFileRoute('/_app/admin/licencetypes')({ validateSearch: listSearch, component: LicenceTypesPage });
