import { createFileRoute } from '@tanstack/react-router';
import { EulasPage } from '@/features/admin/eulas/EulasPage';
import { listSearch } from '@/shared/table/listSearch';

export const Route = createFileRoute('/_app/admin/eulas')({ validateSearch: listSearch, component: EulasPage });
