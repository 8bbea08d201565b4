import { createFileRoute } from '@tanstack/react-router';
import { guard } from '@/app/session';
import { AddUserPage } from '@/features/account/users/UserPage';

export const Route = createFileRoute('/_app/account/users/add')({
  beforeLoad: guard({ roles: ['Administrator'] }),
  component: AddUserPage,
});
