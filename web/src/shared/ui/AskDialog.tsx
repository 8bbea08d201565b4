import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { isRefusal, reportFailure } from '../errors';
import { notify } from '../notify';
import { ConfirmDialog } from './Dialog';

export type Act = {
  title: string;
  /** The thing it is about, by name. */
  subject: string;
  /** What follows from it, and whether the person is sure. */
  question?: string;
  /** Of the button. */
  label: string;
  danger?: boolean;
  run: () => Promise<unknown>;
  /** Said afterwards. Without it the screen itself shows what happened. */
  done?: string;
  /** Said when it failed and the server gives no reason. */
  failed: string;
};

/** Runs an act and says how it went. A refusal says why; `onOver` hears that there is nothing to try again. */
export function useRun({ run, done, failed }: Pick<Act, 'run' | 'done' | 'failed'>, onOver = () => {}) {
  return useMutation({
    mutationFn: run,
    meta: { ownErrors: true },
    onSuccess: () => {
      onOver();
      if (done) notify('success', done);
    },
    onError: (error) => {
      if (isRefusal(error)) onOver();
      reportFailure(error, failed, { serverFirst: true });
    },
  });
}

/** Asks before an act, runs it, and says how it went. It stays open after a failure, so that one can try again. */
export function AskDialog({ act, onClose }: { act: Act; onClose: () => void }) {
  const request = useRun(act, onClose);
  return (
    <ConfirmDialog
      opened
      onClose={onClose}
      onConfirm={() => request.mutate()}
      title={act.title}
      subject={act.subject}
      question={act.question}
      confirmLabel={act.label}
      danger={act.danger}
      busy={request.isPending}
    />
  );
}

/** `const [ask, question] = useAsk()`: `ask(act)` opens the dialog, which stands where the screen puts `question`. */
export function useAsk(): [ask: (act: Act) => void, question: ReactNode] {
  const [act, setAct] = useState<Act | null>(null);
  return [setAct, act && <AskDialog act={act} onClose={() => setAct(null)} />];
}
