import { createFileRoute } from '@tanstack/react-router';
import { DocumentsPage } from '@/features/account/documents/DocumentsPage';

export const Route = createFileRoute('/_app/account/settings/documents')({
  component: DocumentsPage,
});
