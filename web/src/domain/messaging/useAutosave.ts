import { useEffect, useRef, useState } from 'react';
import { busy } from '@/api/busy';
import { ApiError } from '@/api/client';
import { onReturn } from '@/api/connection';
import { NotRenewed } from '@/api/token';
import { reportError } from '@/shared/errors';
import { splitModelState } from '@/shared/form/useServerForm';
import { backOff } from '@/shared/hubs';

/** `retrying`: failed temporarily and is retried automatically. `failed`: the user has to act. */
export type SaveState = 'idle' | 'saving' | 'saved' | 'retrying' | 'failed';

/** Pause in typing after which changes are saved. */
export const PAUSE_MS = 800;

/** Whether an error is temporary. */
const passes = (error: unknown) =>
  error instanceof TypeError ||
  error instanceof NotRenewed ||
  (error instanceof ApiError && (error.status >= 500 || error.status === 429 || error.status === 408));

const fieldErrors = (error: unknown) => {
  const { fields } = splitModelState(error instanceof ApiError ? error.modelState : {}, () => true);
  return Object.fromEntries(Object.entries(fields).map(([path, text]) => [path.split('.').at(-1)!, typeof text === 'string' ? text : '']));
};

type Options<T> = {
  /** The value to save now, or null. Includes changes by handlers of the same event. */
  pending: () => T | null;
  /** Saves the value; afterwards `pending` no longer returns it. */
  save: (value: T) => Promise<unknown>;
};

/** Saves changes as they are typed, one save at a time, and retries failed saves until nothing is left. */
export function useAutosave<T>({ pending, save }: Options<T>) {
  const [state, setState] = useState<SaveState>('idle');
  const [errors, setErrors] = useState<Record<string, string>>({});
  const latest = useRef({ pending, save });
  useEffect(() => {
    latest.current = { pending, save };
  });
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const running = useRef<Promise<boolean> | null>(null);
  const failures = useRef(0);
  /** The page is busy from a change to the end of its save. */
  const done = useRef<(() => void) | undefined>(undefined);
  const isWaiting = useRef(false);

  const attempt = async (): Promise<boolean> => {
    for (;;) {
      const value = latest.current.pending();
      if (value === null) {
        // Includes changes that failed and were reverted.
        setErrors({});
        setState((s) => (s === 'failed' || s === 'retrying' ? 'idle' : s));
        return true;
      }
      setState('saving');
      try {
        await latest.current.save(value);
        failures.current = 0;
        setErrors({});
        setState('saved');
      } catch (error) {
        if (passes(error)) {
          setState('retrying');
          isWaiting.current = true;
          timer.current = setTimeout(() => void run(), backOff(failures.current++));
          return false;
        }
        const next = latest.current.pending();
        // Later input may be valid.
        if (next !== null && JSON.stringify(next) !== JSON.stringify(value)) continue;
        setState('failed');
        const wrong = fieldErrors(error);
        setErrors(wrong);
        if (Object.keys(wrong).length === 0) reportError(error);
        return false;
      }
    }
  };
  const finish = () => {
    done.current?.();
    done.current = undefined;
  };
  const run = () => {
    clearTimeout(timer.current);
    isWaiting.current = false;
    running.current ??= attempt().finally(() => {
      running.current = null;
      finish();
    });
    return running.current;
  };
  /** Saves once typing pauses. A failed save keeps its own schedule. */
  const later = () => {
    if (isWaiting.current) return;
    // The latest input is not saved yet.
    setState((s) => (s === 'saved' ? 'idle' : s));
    clearTimeout(timer.current);
    done.current ??= busy();
    timer.current = setTimeout(() => void run(), PAUSE_MS);
  };
  /** Saves at once, retrying failed saves. Returns whether nothing is left to save. */
  const flush = async () => {
    await running.current;
    return run();
  };
  const again = useRef(run);
  useEffect(() => {
    again.current = run;
  });
  useEffect(() => {
    const stop = onReturn(() => isWaiting.current && void again.current());
    return () => {
      stop();
      clearTimeout(timer.current);
      finish();
    };
  }, []);
  return { later, now: () => void run(), flush, state, errors };
}
