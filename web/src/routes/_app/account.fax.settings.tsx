import { createFileRoute } from '@tanstack/react-router';
import { FaxPage } from '@/features/account/fax/FaxPage';

export const Route = createFileRoute('/_app/account/fax/settings')({
  component: () => <FaxPage tab="settings" />,
});
