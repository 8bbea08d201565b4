import { useBlocker } from '@tanstack/react-router';
import { ConfirmDialog } from './Dialog';
import { paths } from '../paths';

type Props = {
  /** Whether there are unsaved changes; read when the user leaves. */
  isDirty: () => boolean;
  /** The name of what was changed. */
  subject: string;
  /** The user leaves without saving. */
  onLeave?: () => void;
};

/** Asks before the user leaves a page with unsaved changes. */
export function LeaveGuard({ isDirty, subject, onLeave }: Props) {
  const blocker = useBlocker({
    // An expired session leads to the sign-in page; the form is kept for when the user returns.
    shouldBlockFn: ({ current, next }) => !next.pathname.startsWith(paths.login()) && current.pathname !== next.pathname && isDirty(),
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
      question="What you changed here is lost."
      cancelLabel="Keep editing"
      confirmLabel="Leave"
      danger
    />
  );
}
