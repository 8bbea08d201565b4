import { createFileRoute } from '@tanstack/react-router';
import { PurposesOfUsePage } from '@/features/admin/lists/pages';
import { listSearch } from '@/shared/table/listSearch';

export const Route = createFileRoute('/_app/admin/purposesofuse')({ validateSearch: listSearch, component: PurposesOfUsePage });
