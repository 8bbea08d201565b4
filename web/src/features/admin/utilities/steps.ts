import type { RetryStep, RetryType } from '@/api/types';

/** The steps that can be retried in bulk. */
export const STEPS: Record<RetryType, { value: RetryStep; label: string }[]> = {
  send: [
    { value: 'Deliver', label: 'Deliver' },
    { value: 'RenderFax', label: 'Render the fax' },
    { value: 'SubmitFax', label: 'Submit the fax' },
    { value: 'AwaitNotices', label: 'Await the notices' },
  ],
  receive: [
    { value: 'Open', label: 'Open the mail' },
    { value: 'OpenFax', label: 'Open the fax' },
    { value: 'OpenInterface', label: 'Open what an interface brought' },
    { value: 'Notify', label: 'Send the notices' },
  ],
};

const OTHERS: Record<string, string> = { FollowFax: 'Follow the fax' };

/** What operators call a step. */
export const stepLabel = (step: string) => [...STEPS.send, ...STEPS.receive].find((s) => s.value === step)?.label ?? OTHERS[step] ?? step;
