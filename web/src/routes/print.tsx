import { createFileRoute } from '@tanstack/react-router';
import { guard } from '@/app/session';
import { PrintPage } from '@/features/print/PrintPage';

export const Route = createFileRoute('/print')({
  validateSearch: (raw: Record<string, unknown>): { job?: string } => ({ job: typeof raw.job === 'string' ? raw.job : undefined }),
  beforeLoad: guard({ roles: ['User', 'Administrator'] }),
  component: PrintPage,
});
