import { createFileRoute } from '@tanstack/react-router';
import type { SetupStepName } from '@/api/types';
import { SetupPage } from '@/features/setup/SetupPage';
import { STEPS } from '@/features/setup/words';

const isStep = (name: unknown): name is SetupStepName => typeof name === 'string' && name in STEPS;

export const Route = createFileRoute('/_app/admin/setup')({
  validateSearch: ({ step }: Record<string, unknown>): { step?: SetupStepName } => (isStep(step) ? { step } : {}),
  component: SetupPage,
});
