import { createFileRoute } from '@tanstack/react-router';
import { ReleaseTypesPage } from '@/features/admin/lists/ReleaseTypesPage';
import { listSearch } from '@/shared/table/listSearch';

export const Route = createFileRoute('/_app/admin/releasetypes')({ validateSearch: listSearch, component: ReleaseTypesPage });
