import { useSyncExternalStore } from 'react';

/** The number of requests in progress; the loading indicator runs while there is one. */
let count = 0;
const listeners = new Set<() => void>();
const change = (by: number) => {
  count += by;
  for (const l of listeners) l();
};

export async function counted<T>(work: () => Promise<T>): Promise<T> {
  change(1);
  try {
    return await work();
  } finally {
    change(-1);
  }
}

const subscribe = (l: () => void) => {
  listeners.add(l);
  return () => listeners.delete(l);
};
export const useIsLoading = () => useSyncExternalStore(subscribe, () => count > 0);
