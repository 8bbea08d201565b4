import { createFileRoute } from '@tanstack/react-router';
import { BatchesPage } from '@/features/triage/BatchesPage';

export const Route = createFileRoute('/_app/triage/')({
  component: BatchesPage,
});
