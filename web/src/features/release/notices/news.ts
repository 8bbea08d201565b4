import { plural } from '@/shared/format';

export type Counts = { unread: number; mine: number; urgent: number; mentions: number; toSign: number; failed: number; charts: number };

const words: Record<keyof Counts, (n: number) => string> = {
  unread: (n) => `${plural(n, 'new message')} in Intake`,
  mine: (n) => (n === 1 ? 'A message was assigned to you' : `${n} messages were assigned to you`),
  urgent: (n) => plural(n, 'urgent message'),
  mentions: (n) => (n === 1 ? 'A note names you' : `Notes in ${n} messages name you`),
  toSign: (n) => (n === 1 ? 'A document waits for your signature' : `${n} documents wait for your signature`),
  failed: (n) => (n === 1 ? 'A message was not delivered' : `${n} messages were not delivered`),
  charts: (n) => (n === 1 ? 'A document needs attention in its chart' : `${n} documents need attention in their charts`),
};

/** Counts that increased: a message that was read or acknowledged is no news. */
export const news = (before: Counts, now: Counts): { key: keyof Counts; text: string }[] =>
  (Object.keys(words) as (keyof Counts)[])
    .filter((key) => now[key] > (before[key] ?? 0))
    .map((key) => ({ key, text: words[key](now[key] - (before[key] ?? 0)) }));
