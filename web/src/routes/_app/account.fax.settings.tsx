import { createFileRoute } from '@tanstack/react-router';
import { guard } from '@/app/session';
import { FaxPage } from '@/features/account/fax/FaxPage';

export const Route = createFileRoute('/_app/account/fax/settings')({
  beforeLoad: guard({ roles: ['Administrator'] }),
  component: () => <FaxPage tab="settings" />,
});
