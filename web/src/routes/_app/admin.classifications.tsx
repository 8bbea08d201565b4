import { createFileRoute } from '@tanstack/react-router';
import { ClassificationsPage } from '@/features/admin/lists/pages';
import { listSearch } from '@/shared/table/listSearch';

export const Route = createFileRoute('/_app/admin/classifications')({ validateSearch: listSearch, component: ClassificationsPage });
