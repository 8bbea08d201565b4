import { createFileRoute } from '@tanstack/react-router';
import { SpecialtiesPage } from '@/features/admin/lists/SpecialtiesPage';
import { listSearch } from '@/shared/table/listSearch';

export const Route = createFileRoute('/_app/admin/organizationspecialties')({ validateSearch: listSearch, component: SpecialtiesPage });
