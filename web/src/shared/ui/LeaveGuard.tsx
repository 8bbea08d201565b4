import { useBlocker } from '@tanstack/react-router';
import { ConfirmDialog } from './Dialog';
import { paths } from '../paths';

type Props = {
  /** Something is not saved. Read at the moment of leaving. */
  isDirty: () => boolean;
  /** What it is about, by name. */
  subject: string;
  /** The person leaves without saving. */
  onLeave?: () => void;
};

/** Asks before what was changed on a page is left behind. */
export function LeaveGuard({ isDirty, subject, onLeave }: Props) {
  const blocker = useBlocker({
    // A session that ran out leads to the sign-in page; the form waits for the person to come back.
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
