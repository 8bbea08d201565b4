import { STEP_LABELS } from '@/api/steps.gen';
import type { RetryStep, RetryType } from '@/api/types';

/** Label of a step for operators. */
export const stepLabel = (step: string) => STEP_LABELS[step] ?? step;

const choices = (...steps: RetryStep[]) => steps.map((value) => ({ value, label: stepLabel(value) }));

/** The steps that can be retried in bulk. */
export const STEPS: Record<RetryType, { value: RetryStep; label: string }[]> = {
  send: choices('Deliver', 'RenderFax', 'SubmitFax', 'AwaitNotices'),
  receive: choices('Open', 'OpenFax', 'OpenInterface', 'Notify'),
};
