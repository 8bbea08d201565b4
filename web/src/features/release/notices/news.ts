import { plural } from '@/shared/format';

export type Counts = { unread: number; mine: number; urgent: number; toSign: number; failed: number };

const words: Record<keyof Counts, (n: number) => string> = {
  unread: (n) => `${plural(n, 'new message')} in Intake`,
  mine: (n) => (n === 1 ? 'A message was assigned to you' : `${n} messages were assigned to you`),
  urgent: (n) => plural(n, 'urgent message'),
  toSign: (n) => (n === 1 ? 'A document waits for your signature' : `${n} documents wait for your signature`),
  failed: (n) => (n === 1 ? 'A message was not delivered' : `${n} messages were not delivered`),
};

/** What became more: a message that was read or acknowledged is no news. */
export const news = (before: Counts, now: Counts): { key: keyof Counts; text: string }[] =>
  (Object.keys(words) as (keyof Counts)[])
    .filter((key) => now[key] > before[key])
    .map((key) => ({ key, text: words[key](now[key] - before[key]) }));
