import { profileQuery, queryClient } from '@/app/session';
import { notify } from '@/shared/notify';
import { offerUndo } from '@/shared/undo';
import { refetchRelease, takeBack } from './api';

const SENDING = 'Sending in 10 s.';
const SENT = 'The message was sent successfully.';
/** Time for which the server holds a message back, in ms; a little longer than it can be undone here. */
const HELD_MS = 12_000;

const userNow = () => queryClient.getQueryData(profileQuery.queryKey)?.userId;

/**
 * Announces a message: while it is held back, that it will be sent, with an undo; later that it was sent. `onTakenBack` runs when
 * it is a draft again.
 */
export function tellSent(answer: { id: string; heldUntil?: string | null } | undefined, onTakenBack: (id: string) => void) {
  if (!answer?.heldUntil) return notify('success', SENT);
  const { id } = answer;
  const user = userNow();
  let isTakenBack = false;
  offerUndo(
    SENDING,
    async () => {
      await takeBack(id);
      isTakenBack = true;
      onTakenBack(id);
    },
    'info',
  );
  setTimeout(() => {
    if (isTakenBack || userNow() !== user) return;
    // It may have been undone in another window.
    refetchRelease(id).then(
      ({ isDraft }) => !isDraft && notify('success', SENT),
      () => {
        /* The list shows its state. */
      },
    );
  }, HELD_MS);
}
