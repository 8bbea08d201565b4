import { Button } from '@mantine/core';
import { useEffect, useState } from 'react';
import { api, quiet } from '@/api/client';
import { localStore } from '@/shared/storage';
import { Dialog } from '@/shared/ui/Dialog';
import { signOutIdle } from '../session';

const KEY = 'lastActivity';
const CHECK_MS = 5000;
const WARN_MS = 60_000;
/** Interval between activity reports to the server, since reading and typing make no calls. */
const REPORT_MS = 60_000;
// Assistive technology such as speech control clicks and types without pointer or key events.
const EVENTS = ['pointerdown', 'keydown', 'click', 'input', 'wheel', 'touchstart'] as const;

const remember = (now: number) => localStore.set(KEY, String(now));

/** Warning a minute before the organization's idle time ends, then sign-out. Work in another tab of this browser counts too. */
export function IdleSignOut({ seconds }: { seconds: number | null | undefined }) {
  const [warned, setWarned] = useState(false);
  useEffect(() => {
    if (!seconds) return;
    let noted = 0;
    let reported = Date.now();
    const note = () => {
      const now = Date.now();
      if (now - noted < 1000) return;
      noted = now;
      remember(now);
    };
    const check = () => {
      const now = Date.now();
      const active = Number(localStore.get(KEY) ?? 0);
      const left = active + seconds * 1000 - now;
      setWarned(left < WARN_MS);
      if (left > 0 && active > reported && now - reported >= REPORT_MS) {
        reported = now;
        // If it fails, the next call of the screen shows why.
        api.GET('/api/users/ipaddress', quiet).catch(() => undefined);
      }
      if (left <= 0) void signOutIdle();
    };
    note();
    for (const e of EVENTS) window.addEventListener(e, note, { passive: true });
    const timer = setInterval(check, CHECK_MS);
    return () => {
      clearInterval(timer);
      for (const e of EVENTS) window.removeEventListener(e, note);
    };
  }, [seconds]);
  const stay = () => {
    remember(Date.now());
    setWarned(false);
  };
  return (
    <Dialog
      opened={warned}
      isAbove
      onClose={stay}
      title="Are you still there?"
      size={460}
      footer={
        <>
          <div className="cp-grow" />
          <Button size="md" data-autofocus onClick={stay}>
            Stay signed in
          </Button>
        </>
      }
    >
      <p className="cp-question">You will be signed out in less than a minute because of inactivity.</p>
    </Dialog>
  );
}
