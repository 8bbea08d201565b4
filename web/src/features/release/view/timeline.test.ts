import { describe, expect, test } from 'vitest';
import type { Delivery } from '@/api/types';
import { countStates, messageState, recipientState, stepsOf } from './timeline';

const at = (h: number, m: number) => new Date(2026, 10, 20, h, m, 2).toISOString();
const delivery = (over: Partial<Delivery>): Delivery => ({
  id: '1',
  address: 'a@b.example',
  kind: 'DirectMessage',
  role: 'To',
  state: 'Queued',
  acceptedAt: at(10, 46),
  wantsDispatched: true,
  ...over,
});
const steps = (d: Partial<Delivery>) => stepsOf(delivery(d)).map((s) => [s.title, s.note, s.look].filter(Boolean).join(' | '));

describe('the timeline of a recipient', () => {
  test('shows what happened with its time, and what is to come', () => {
    expect(steps({ state: 'Processed', sentAt: at(10, 46), processedAt: at(10, 47), expectedBy: at(11, 46) })).toEqual([
      'Accepted | 10:46:02 AM | done',
      'Sent | 10:46:02 AM | done',
      'Processed | 10:47:02 AM | done',
      'Dispatched | Expected by 11:46:02 AM',
    ]);
  });
  test('says what is going on now', () => {
    expect(steps({ kind: 'Fax', attempt: 2 })).toEqual(['Accepted | 10:46:02 AM | done', 'Sending | Attempt 2 | now', 'Confirmed']);
  });
  test('ends where it failed', () => {
    expect(steps({ state: 'Failed', failedAt: at(10, 48) })).toEqual(['Accepted | 10:46:02 AM | done', 'Not sent | 10:48:02 AM | bad']);
    expect(steps({ state: 'Failed', sentAt: at(10, 47), failedAt: at(10, 48) }).at(-1)).toBe('Not delivered | 10:48:02 AM | bad');
  });
  test('does not promise a dispatched notice that was not asked for', () => {
    expect(steps({ state: 'Sent', sentAt: at(10, 47), wantsDispatched: false })).toHaveLength(3);
  });
  test('is done when it was delivered, also where a notice never came', () => {
    expect(steps({ state: 'Delivered', sentAt: at(10, 47), deliveredAt: at(10, 49) })[2]).toBe('Processed | done');
  });
  test('of an uncertain outcome says so', () => {
    expect(steps({ kind: 'Fax', state: 'Uncertain', sentAt: at(10, 47) }).at(-1)).toBe('Uncertain | 10:47:02 AM | unsure');
  });
});

test('a recipient is sending, waiting or settled', () => {
  expect(
    (['Queued', 'Sent', 'Processed', 'Delivered', 'Failed', 'Uncertain'] as const).map((state) =>
      recipientState(delivery({ state: state as Delivery['state'] })),
    ),
  ).toEqual(['Sending', 'Waiting', 'Waiting', 'Delivered', 'Failed', 'Uncertain']);
});

test('the message is on its way until all recipients are settled, then its worst recipient counts', () => {
  const all = (...states: Delivery['state'][]) => states.map((state) => delivery({ state: state as Delivery['state'] }));
  expect(messageState(all('Delivered', 'Processed', 'Failed'), 'Sent')).toBe('Sending');
  expect(messageState(all('Delivered', 'Failed'), 'Sent')).toBe('Partly failed');
  expect(messageState(all('Failed', 'Failed'), 'Failed')).toBe('Failed');
  expect(messageState(all('Delivered', 'Uncertain'), 'Sent')).toBe('Uncertain');
  expect(messageState(all('Delivered'), 'Sent')).toBe('Delivered');
  expect(messageState([], 'Pending')).toBe('Pending');
  expect(countStates(all('Delivered', 'Sent', 'Processed'))).toEqual([
    { state: 'Delivered', count: 1 },
    { state: 'Waiting', count: 2 },
  ]);
});

test('a failure that was corrected counts as failed no more', () => {
  const corrected = delivery({ state: 'Failed', correctedBy: 'm2' });
  expect(recipientState(corrected)).toBe('Corrected');
  expect(messageState([corrected], 'Sent')).toBe('Corrected');
  expect(messageState([corrected, delivery({ state: 'Delivered' })], 'Sent')).toBe('Delivered');
  expect(countStates([corrected, delivery({ state: 'Failed' })])).toEqual([
    { state: 'Corrected', count: 1 },
    { state: 'Failed', count: 1 },
  ]);
});
