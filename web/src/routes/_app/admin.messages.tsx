import { createFileRoute } from '@tanstack/react-router';
import { MessagesPage } from '@/features/admin/messages/MessagesPage';
import { listSearch } from '@/shared/table/listSearch';

export const Route = createFileRoute('/_app/admin/messages')({
  validateSearch: listSearch,
  component: MessagesPage,
});
