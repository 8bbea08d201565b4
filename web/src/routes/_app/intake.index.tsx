import { createFileRoute } from '@tanstack/react-router';
import { IntakePage } from '@/features/intake/IntakePage';
import { type IntakeSearch, intakeSearch } from '@/features/intake/list';

export const Route = createFileRoute('/_app/intake/')({
  validateSearch: (raw: Record<string, unknown>): IntakeSearch => intakeSearch(raw),
  component: IntakePage,
});
