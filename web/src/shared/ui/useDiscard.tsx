import type { ReactNode } from 'react';
import { useAsk } from './AskDialog';

type Discarded = {
  /** As in a sentence: `this batch`, `3 drafts`. */
  what: string;
  /** Its name. */
  subject: string;
  /** What is lost. */
  lost: string;
  run: () => Promise<unknown>;
  /** Shown when it fails and the server gives no reason. */
  failed?: string;
};

/** `const [discard, question] = useDiscard()`: asks before something is lost, as everywhere. */
export function useDiscard(): [discard: (of: Discarded) => void, question: ReactNode] {
  const [ask, question] = useAsk();
  const discard = ({ what, subject, lost, run, failed }: Discarded) =>
    ask({
      title: `Discard ${what}?`,
      subject,
      question: lost,
      label: 'Discard',
      danger: true,
      run,
      failed: failed ?? `This could not be discarded: ${what}. Please try again.`,
    });
  return [discard, question];
}
