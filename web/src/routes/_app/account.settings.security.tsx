import { createFileRoute } from '@tanstack/react-router';
import { guard } from '@/app/session';
import { SecurityPage } from '@/features/account/security/SecurityPage';

export const Route = createFileRoute('/_app/account/settings/security')({
  beforeLoad: guard({ roles: ['Administrator'] }),
  component: SecurityPage,
});
