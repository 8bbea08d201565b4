import { useSyncExternalStore } from 'react';

/** Widths at which the frame changes: phone below 768, drawer below 1024, rail below 1400, but in the console below 1280. */
const queries = {
  phone: '(max-width: 767.9px)',
  drawer: '(max-width: 1023.9px)',
  rail: '(max-width: 1399.9px)',
  unlabelled: '(max-width: 1279.9px)',
};
const lists = Object.fromEntries(Object.entries(queries).map(([k, q]) => [k, window.matchMedia(q)])) as Record<
  keyof typeof queries,
  MediaQueryList
>;
const read = () =>
  Object.values(lists)
    .map((list) => list.matches)
    .join();
const subscribe = (l: () => void) => {
  for (const list of Object.values(lists)) list.addEventListener('change', l);
  return () => {
    for (const list of Object.values(lists)) list.removeEventListener('change', l);
  };
};

export function useViewport() {
  useSyncExternalStore(subscribe, read);
  return {
    isPhone: lists.phone.matches,
    isNarrow: lists.drawer.matches,
    isMedium: lists.rail.matches,
    isLabelled: !lists.unlabelled.matches,
  };
}
