import { createFileRoute } from '@tanstack/react-router';
import { SsoPage } from '@/features/account/sso/SsoPage';

export const Route = createFileRoute('/_app/account/settings/sso')({
  component: SsoPage,
});
