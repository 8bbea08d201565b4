import { createFileRoute } from '@tanstack/react-router';
import { UsersPage } from '@/features/admin/users/UsersPage';
import { filteredSearch } from '@/shared/table/listSearch';

export const Route = createFileRoute('/_app/admin/users')({
  validateSearch: filteredSearch('sysAdmin', 'deleted'),
  component: UsersPage,
});
