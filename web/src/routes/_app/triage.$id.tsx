import { createFileRoute } from '@tanstack/react-router';
import { BatchPage } from '@/features/triage/BatchPage';

export const Route = createFileRoute('/_app/triage/$id')({
  component: BatchPage,
  staticData: { rail: true },
});
