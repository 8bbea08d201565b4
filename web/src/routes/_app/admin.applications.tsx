import { createFileRoute } from '@tanstack/react-router';
import { ApplicationsPage } from '@/features/admin/lists/pages';
import { listSearch } from '@/shared/table/listSearch';

export const Route = createFileRoute('/_app/admin/applications')({ validateSearch: listSearch, component: ApplicationsPage });
