import { createFileRoute } from '@tanstack/react-router';
import { ReleaseTypesPage } from '@/features/account/releasetypes/ReleaseTypesPage';
import { listSearch } from '@/shared/table/listSearch';

export const Route = createFileRoute('/_app/account/settings/releasetypes')({
  validateSearch: listSearch,
  component: ReleaseTypesPage,
});
