import { useBlocker } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { busy } from '@/api/busy';
import { paths } from '@/shared/paths';
import { forget, type Kept, keep } from './draftCache';

const KEEP_DELAY_MS = 400;

type Options = {
  name: string;
  kept: Kept;
  isDirty: boolean;
  /** Leaving asks whether to keep the text. */
  asks: boolean;
  /** Whether closing the page would lose changes. */
  warns: boolean;
  /** The screen is left without a question. */
  onLeave: () => void;
};

/** Keeps unsaved text over a reload or a session that ran out, and asks before it is left behind. */
export function useUnsaved({ name, kept, isDirty, asks, warns, onLeave }: Options) {
  const settled = useRef(false);
  const text = JSON.stringify(kept);
  useEffect(() => {
    if (!isDirty || settled.current) return;
    const done = busy();
    const timer = setTimeout(() => {
      // The screen may still be there while the next one loads.
      if (settled.current) done();
      else void keep(name, JSON.parse(text) as Kept).finally(done);
    }, KEEP_DELAY_MS);
    return () => {
      clearTimeout(timer);
      done();
    };
  }, [name, text, isDirty]);

  /** The text is saved, sent or discarded, so leaving needs no question any more. */
  const settle = () => {
    settled.current = true;
    forget(name);
  };
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => {
      // A session that ran out leads to the sign-in page; the text waits for the person to come back.
      if (next.pathname.startsWith(paths.login()) || current.pathname === next.pathname) return false;
      if (settled.current) return false;
      if (asks) return true;
      settle();
      onLeave();
      return false;
    },
    enableBeforeUnload: () => !settled.current && warns,
    withResolver: true,
  });
  /** Saved, and the user stays. `still` keeps the id of a draft that the URL does not name. */
  const saved = (still?: Kept) => (still && !settled.current ? void keep(name, still) : forget(name));
  return { blocker, settle, saved, isSettled: () => settled.current };
}
