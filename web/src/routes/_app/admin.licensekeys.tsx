import { createFileRoute } from '@tanstack/react-router';
import { LicencesPage } from '@/features/admin/licences/LicencesPage';
import { filteredSearch } from '@/shared/table/listSearch';

export const Route = createFileRoute('/_app/admin/licensekeys')({
  validateSearch: filteredSearch('expiring'),
  component: LicencesPage,
});
