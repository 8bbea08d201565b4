import { useBlocker } from '@tanstack/react-router';
import { ConfirmDialog } from './Dialog';
import { paths } from '../paths';

type Props = {
  /** Whether there are unsaved changes; read when the user leaves. */
  isDirty: () => boolean;
  /** Saves pending changes and returns whether none are left; then the user is not asked. */
  settle?: () => Promise<boolean>;
  /** The name of the changed object. */
  subject: string;
  question?: string;
  /** The user leaves without saving. */
  onLeave?: () => void;
};

/** Longest wait for the save before asking. */
const SETTLE_MS = 3000;
const soon = (work: Promise<boolean>) =>
  Promise.race([work.catch(() => false), new Promise<boolean>((done) => setTimeout(() => done(false), SETTLE_MS))]);

/** Asks before the user leaves a page with unsaved changes. */
export function LeaveGuard({ isDirty, settle, subject, question = 'Your changes here are lost.', onLeave }: Props) {
  const blocker = useBlocker({
    shouldBlockFn: async ({ current, next }) => {
      // An expired session leads to the sign-in page; the form is kept for when the user returns.
      if (next.pathname.startsWith(paths.login()) || current.pathname === next.pathname || !isDirty()) return false;
      if (settle) await soon(settle());
      return isDirty();
    },
    enableBeforeUnload: isDirty,
    withResolver: true,
  });
  return (
    <ConfirmDialog
      opened={blocker.status === 'blocked'}
      onClose={() => blocker.reset?.()}
      onConfirm={() => {
        onLeave?.();
        blocker.proceed?.();
      }}
      title="Leave without saving?"
      subject={subject}
      question={question}
      cancelLabel="Keep editing"
      confirmLabel="Leave"
      danger
    />
  );
}
