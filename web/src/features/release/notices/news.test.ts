import { expect, test } from 'vitest';
import { news } from './news';

test('only what became more is news, and it names nobody', () => {
  const before = { unread: 3, mine: 1, urgent: 0, mentions: 0, toSign: 0, failed: 2, charts: 0 };
  expect(news(before, { unread: 5, mine: 0, urgent: 0, mentions: 1, toSign: 0, failed: 3, charts: 1 }).map((n) => n.text)).toEqual([
    '2 new messages in Intake',
    'A note names you',
    'A message was not delivered',
    'A document needs attention in its chart',
  ]);
  expect(news(before, before)).toEqual([]);
});
