import { createFileRoute } from '@tanstack/react-router';
import { JobFunctionsPage } from '@/features/admin/lists/pages';
import { listSearch } from '@/shared/table/listSearch';

export const Route = createFileRoute('/_app/admin/jobfunctions')({ validateSearch: listSearch, component: JobFunctionsPage });
