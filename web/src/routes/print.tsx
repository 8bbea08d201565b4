import { createFileRoute } from '@tanstack/react-router';
import { guard } from '@/app/session';
import { TermsPrint } from '@/features/onboarding/TermsPrint';
import { PrintPage } from '@/features/print/PrintPage';

/** The terms, or a file of a message. */
function Print() {
  return Route.useSearch().job === 'terms' ? <TermsPrint /> : <PrintPage />;
}

export const Route = createFileRoute('/print')({
  validateSearch: (raw: Record<string, unknown>): { job?: string } => ({ job: typeof raw.job === 'string' ? raw.job : undefined }),
  beforeLoad: guard({ roles: ['User', 'Administrator'] }),
  component: Print,
});
