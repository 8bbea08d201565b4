import { useRef, useState } from 'react';
import { ApiError } from '@/api/client';
import { reportError } from '@/shared/errors';
import { splitModelState } from '@/shared/form/useServerForm';

export type SaveState = 'idle' | 'saving' | 'saved' | 'failed';

/**
 * Saves what a person typed when a field is left, unless that is what was saved last. Saves go one after another, and only
 * the latest of those that wait. `flush` ends when nothing is left to save and answers whether the last save worked.
 */
export function useAutosave<T>(save: (value: T) => Promise<unknown>) {
  const [state, setState] = useState<SaveState>('idle');
  const [errors, setErrors] = useState<Record<string, string>>({});
  const waiting = useRef<{ value: T } | null>(null);
  const running = useRef<Promise<boolean> | null>(null);
  /** What was handed over last: it may still be under way, so `saved` can be older. Nothing once it has failed. */
  const sent = useRef<string>(undefined);

  const run = async (): Promise<boolean> => {
    let good = true;
    while (waiting.current) {
      const { value } = waiting.current;
      waiting.current = null;
      setState('saving');
      try {
        await save(value);
        setErrors({});
        setState('saved');
        good = true;
      } catch (error) {
        good = false;
        if (!waiting.current) sent.current = undefined;
        setState('failed');
        const { fields } = splitModelState(error instanceof ApiError ? error.modelState : {}, () => true);
        if (Object.keys(fields).length)
          setErrors(Object.fromEntries(Object.entries(fields).map(([k, v]) => [k.split('.').at(-1)!, typeof v === 'string' ? v : ''])));
        else reportError(error);
      }
    }
    return good;
  };
  const queue = (value: T, saved: T) => {
    const text = JSON.stringify(value);
    if (text === (sent.current ?? JSON.stringify(saved))) {
      if (running.current) return;
      // Taken back after it could not be saved.
      setErrors({});
      setState((s) => (s === 'failed' ? 'idle' : s));
      return;
    }
    sent.current = text;
    waiting.current = { value };
    running.current ??= run().finally(() => {
      running.current = null;
    });
  };
  const flush = async () => (running.current ? running.current : state !== 'failed');
  return { queue, flush, state, errors };
}
