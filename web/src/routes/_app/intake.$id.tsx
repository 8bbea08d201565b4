import { createFileRoute } from '@tanstack/react-router';
import { MessagePage } from '@/features/intake/message/MessagePage';

export const Route = createFileRoute('/_app/intake/$id')({
  component: MessagePage,
  staticData: { rail: true },
});
