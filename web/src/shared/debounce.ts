import { useDebouncedCallback, useDebouncedValue } from '@mantine/hooks';
import { useCallback, useEffect, useRef } from 'react';
import { busy, useBusy } from '@/api/busy';

/** Values and calls that wait for a pause. The page counts as busy while they wait. */

/** A value once it has not changed for some milliseconds. */
export function useDebounced<T>(value: T, ms: number): T {
  const [settled] = useDebouncedValue(value, ms);
  useBusy(!Object.is(value, settled));
  return settled;
}

type Options = {
  delay: number;
  /** Longest wait while calls continue, in ms; unlimited by default. */
  maxWait?: number;
};

/**
 * A function whose last call runs after a pause, and one that drops a call that waits. It is also dropped when the component
 * unmounts.
 */
export function useDebouncedCall<A extends unknown[]>(
  call: (...args: A) => unknown,
  options: number | Options,
): readonly [later: (...args: A) => void, cancel: () => void] {
  const { delay, maxWait } = typeof options === 'number' ? { delay: options, maxWait: undefined } : options;
  const done = useRef<(() => void) | undefined>(undefined);
  const finish = useCallback(() => {
    done.current?.();
    done.current = undefined;
  }, []);
  const run = useDebouncedCallback(
    (...args: A) => {
      // The call's own requests keep the page busy.
      finish();
      call(...args);
    },
    { delay, maxWait },
  );
  useEffect(() => finish, [finish]);
  const later = useCallback(
    (...args: A) => {
      done.current ??= busy();
      run(...args);
    },
    [run],
  );
  const cancel = useCallback(() => {
    run.cancel();
    finish();
  }, [run, finish]);
  return [later, cancel];
}
