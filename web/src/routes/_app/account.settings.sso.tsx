import { createFileRoute } from '@tanstack/react-router';
import { SINGLE_SIGN_ON } from '@/app/access';
import { guard } from '@/app/session';
import { SsoPage } from '@/features/account/sso/SsoPage';

export const Route = createFileRoute('/_app/account/settings/sso')({
  beforeLoad: guard({ roles: ['Administrator'], features: [SINGLE_SIGN_ON] }),
  component: SsoPage,
});
