import { createFileRoute } from '@tanstack/react-router';
import { guard } from '@/app/session';
import { TermsPrint } from '@/features/onboarding/TermsPrint';
import { PrintPage } from '@/features/print/PrintPage';
import { useTabTitle } from '@/shared/tabTitle';

/** The terms, or a file of a message. */
function Print() {
  useTabTitle('Print');
  if (Route.useSearch().job === 'terms') return <TermsPrint />;
  return (
    <main>
      <PrintPage />
    </main>
  );
}

export const Route = createFileRoute('/print')({
  validateSearch: (raw: Record<string, unknown>): { job?: string } => ({ job: typeof raw.job === 'string' ? raw.job : undefined }),
  beforeLoad: guard({ roles: ['User', 'Administrator'] }),
  component: Print,
});
