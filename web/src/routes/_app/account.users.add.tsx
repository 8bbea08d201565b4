import { createFileRoute } from '@tanstack/react-router';
import { AddUserPage } from '@/features/account/users/UserPage';

export const Route = createFileRoute('/_app/account/users/add')({
  component: AddUserPage,
});
