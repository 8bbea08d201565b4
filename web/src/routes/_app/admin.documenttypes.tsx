import { createFileRoute } from '@tanstack/react-router';
import { DocumentTypesPage } from '@/features/admin/lists/DocumentTypesPage';
import { listSearch } from '@/shared/table/listSearch';

export const Route = createFileRoute('/_app/admin/documenttypes')({ validateSearch: listSearch, component: DocumentTypesPage });
