import { useEffect, useEffectEvent, useState } from 'react';
import type { ChartConnection } from '@/api/types';
import { wordsOf } from '@/shared/errors';
import { Notice } from '@/shared/ui/blocks';
import { ConfirmDialog } from '@/shared/ui/Dialog';
import { beginLogin, isSignedIn } from './api';

/** How often the end of the window is looked for, and how many times at most. */
const LOOK_MS = 1000;
const LOOKS = 60;

const FAILED =
  'Error logging in to the External site. This can happen if the external login website was closed too quickly. Please wait for the window to close automatically or you are shown it is now safe to close. If the problem persists, please contact support.';
const BLOCKED = 'The browser has blocked the window. Please allow pop-up windows for this site and try again.';

type Props = {
  connection: ChartConnection;
  onClose: () => void;
  /** The person has signed in. */
  onDone: () => void;
};
type Opened = { popup: Window; state: string };

/** Asks to sign in at the EHR, in a window of its own, and waits for its end. */
export function LoginDialog({ connection, onClose, onDone }: Props) {
  const [isOpening, setOpening] = useState(false);
  const [opened, setOpened] = useState<Opened | null>(null);
  const [problem, setProblem] = useState<string | null>(null);

  const open = async () => {
    setProblem(null);
    // Browsers allow a window only in the click itself, so it is opened before its address is known.
    const popup = window.open('about:blank', '_blank', 'popup,width=900,height=720');
    if (!popup) return setProblem(BLOCKED);
    // The EHR's pages cannot move this one.
    popup.opener = null;
    setOpening(true);
    try {
      const { url, state } = await beginLogin(connection);
      popup.location.href = url;
      setOpened({ popup, state });
    } catch (error) {
      popup.close();
      setProblem(wordsOf(error));
    } finally {
      setOpening(false);
    }
  };
  const settle = useEffectEvent(async ({ state }: Opened) => {
    const isDone = await isSignedIn(connection, state).catch(() => false);
    setOpened(null);
    if (isDone) onDone();
    else setProblem(FAILED);
  });
  useEffect(() => {
    if (!opened) return;
    let looks = 0;
    const timer = setInterval(() => {
      looks += 1;
      if (!opened.popup.closed && looks < LOOKS) return;
      clearInterval(timer);
      void settle(opened);
    }, LOOK_MS);
    return () => clearInterval(timer);
  }, [opened]);

  const { name } = connection;
  return (
    <ConfirmDialog
      opened
      onClose={onClose}
      onConfirm={() => void open()}
      title={`${name} Login`}
      subject={name}
      question="You must sign in to proceed"
      confirmLabel="Sign in"
      busy={isOpening || opened !== null}
    >
      {problem && <Notice kind="error">{problem}</Notice>}
      {opened && (
        <p className="cp-second" role="status">
          Please sign in using the window that has opened.
        </p>
      )}
    </ConfirmDialog>
  );
}
