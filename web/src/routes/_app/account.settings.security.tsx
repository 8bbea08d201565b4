import { createFileRoute } from '@tanstack/react-router';
import { SecurityPage } from '@/features/account/security/SecurityPage';

export const Route = createFileRoute('/_app/account/settings/security')({
  component: SecurityPage,
});
