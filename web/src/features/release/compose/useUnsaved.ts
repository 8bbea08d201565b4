import { useBlocker } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { paths } from '@/shared/paths';
import { forget, type Kept, keep } from './draftCache';

const KEEP_DELAY_MS = 400;

type Options = {
  name: string;
  kept: Kept;
  isDirty: boolean;
  /** Leaving asks what to do with the text. */
  asks: boolean;
  /** The screen is left without a question. */
  onLeave: () => void;
};

/** Keeps unsaved text over a reload or a session that ran out, and asks before it is left behind. */
export function useUnsaved({ name, kept, isDirty, asks, onLeave }: Options) {
  const settled = useRef(false);
  const text = JSON.stringify(kept);
  useEffect(() => {
    if (!isDirty || settled.current) return;
    const timer = setTimeout(() => void keep(name, JSON.parse(text) as Kept), KEEP_DELAY_MS);
    return () => clearTimeout(timer);
  }, [name, text, isDirty]);

  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => {
      // A session that ran out leads to the sign-in page; the text waits for the person to come back.
      if (next.pathname.startsWith(paths.login()) || current.pathname === next.pathname) return false;
      if (settled.current) return false;
      if (asks) return true;
      forget(name);
      onLeave();
      return false;
    },
    enableBeforeUnload: () => !settled.current && asks,
    withResolver: true,
  });
  /** The text is saved, sent or discarded: from now on leaving is free. */
  const settle = () => {
    settled.current = true;
    forget(name);
  };
  /** Saved, and the person stays. */
  const saved = () => forget(name);
  return { blocker, settle, saved };
}
