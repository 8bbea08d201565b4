import { createFileRoute } from '@tanstack/react-router';
import { guard } from '@/app/session';
import { IntakePage } from '@/features/intake/IntakePage';
import { type IntakeSearch, intakeSearch } from '@/features/intake/list';

export const Route = createFileRoute('/_app/intake/')({
  validateSearch: (raw: Record<string, unknown>): IntakeSearch => intakeSearch(raw),
  beforeLoad: guard({ roles: ['User', 'Administrator'] }),
  component: IntakePage,
});
