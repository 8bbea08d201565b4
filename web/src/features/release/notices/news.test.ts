import { expect, test } from 'vitest';
import { news } from './news';

test('only what became more is news, and it names nobody', () => {
  const before = { unread: 3, mine: 1, urgent: 0, mentions: 0, toSign: 0, failed: 2 };
  expect(news(before, { unread: 5, mine: 0, urgent: 0, mentions: 1, toSign: 0, failed: 3 }).map((n) => n.text)).toEqual([
    '2 new messages in Intake',
    'A note names you',
    'A message was not delivered',
  ]);
  expect(news(before, before)).toEqual([]);
});
