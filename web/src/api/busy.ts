import { useEffect } from 'react';

/**
 * Whether the page is busy. `<html data-busy>` is set from the first byte (index.html) until requests, navigation, delayed
 * searches and saves, and the first news of the event connection are over. Tests and automation wait for its end instead of
 * guessing.
 */
let reasons = 0;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Finished work may lead to more: a rendered response may request more data. */
const QUIET_MS = 50;

/** Marks the page as busy until the returned function is called, once or more often. */
export function busy(): () => void {
  clearTimeout(timer);
  reasons++;
  const { dataset } = document.documentElement;
  dataset.busy = '';
  let isOver = false;
  return () => {
    if (isOver) return;
    isOver = true;
    reasons--;
    if (reasons > 0) return;
    clearTimeout(timer);
    timer = setTimeout(() => delete dataset.busy, QUIET_MS);
  };
}

/** Marks the page as busy while work is in progress. */
export async function whileBusy<T>(work: () => Promise<T>): Promise<T> {
  const done = busy();
  try {
    return await work();
  } finally {
    done();
  }
}

/** Marks the page as busy while a condition of a component holds. */
export function useBusy(isBusy: boolean) {
  useEffect(() => (isBusy ? busy() : undefined), [isBusy]);
}
