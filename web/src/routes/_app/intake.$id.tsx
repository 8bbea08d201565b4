import { createFileRoute } from '@tanstack/react-router';
import { guard } from '@/app/session';
import { MessagePage } from '@/features/intake/message/MessagePage';

export const Route = createFileRoute('/_app/intake/$id')({
  beforeLoad: guard({ roles: ['User', 'Administrator'] }),
  component: MessagePage,
  staticData: { rail: true },
});
