import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { isRefusal, reportFailure } from '../errors';
import { notify } from '../notify';
import { ConfirmDialog } from './Dialog';

export type Act = {
  title: string;
  /** The name of the affected object. */
  subject: string;
  /** Shown between the name and the question. */
  details?: ReactNode;
  /** The consequences, and whether the user is sure. */
  question?: string;
  /** The label of the button. */
  label: string;
  danger?: boolean;
  run: () => Promise<unknown>;
  /** The toast afterwards; without it the screen shows the result itself. */
  done?: string;
  /** Shown when it fails and the server gives no reason; a function words every failure. */
  failed: string | ((error: unknown) => string);
};

/** Runs an action and reports the result. `onOver` is called when the action cannot be retried. */
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
      if (typeof failed === 'string') reportFailure(error, failed, { serverFirst: true });
      else reportFailure(error, failed(error));
    },
  });
}

/** Asks for confirmation, runs the action and reports the result. Stays open after a failure, for another try. */
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
    >
      {act.details}
    </ConfirmDialog>
  );
}

/** `const [ask, question] = useAsk()`: `ask(act)` opens the dialog, which the screen renders as `question`. */
export function useAsk(): [ask: (act: Act) => void, question: ReactNode] {
  const [act, setAct] = useState<Act | null>(null);
  return [setAct, act && <AskDialog act={act} onClose={() => setAct(null)} />];
}
