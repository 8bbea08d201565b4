import { createFileRoute } from '@tanstack/react-router';
import { DocumentTypesPage } from '@/features/account/documenttypes/DocumentTypesPage';
import { listSearch } from '@/shared/table/listSearch';

export const Route = createFileRoute('/_app/account/settings/documenttypes')({
  validateSearch: listSearch,
  component: DocumentTypesPage,
});
