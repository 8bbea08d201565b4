import { createFileRoute } from '@tanstack/react-router';
import { usersSearch } from '@/features/account/users/search';
import { UsersPage } from '@/features/account/users/UsersPage';

export const Route = createFileRoute('/_app/account/users/')({
  validateSearch: usersSearch,
  component: UsersPage,
});
