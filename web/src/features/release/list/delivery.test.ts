import { describe, expect, test } from 'vitest';
import type { ReleaseItem } from '@/api/types';
import { deliveryParts, mergeRows, newRows, rowState } from './delivery';
import { draftsOnly, releaseSearch } from './search';

const counts = (over: object = {}) => ({ queued: 0, sent: 0, processed: 0, delivered: 0, failed: 0, uncertain: 0, corrected: 0, ...over });
const row = (id: string, over: Partial<ReleaseItem> = {}): ReleaseItem => ({
  id,
  subject: id,
  createdDate: '',
  messageDate: '',
  fromAddress: '',
  toAddress: '',
  toAddresses: [],
  patientName: '',
  status: 'Sent',
  isDraft: false,
  attachmentCount: 0,
  delivery: counts(),
  ...over,
});

describe('a row of the release list', () => {
  test('tells the worst first, and only what there is', () => {
    expect(deliveryParts(counts({ delivered: 2, failed: 1, sent: 1, processed: 1 })).map((p) => `${p.count} ${p.word}`)).toEqual([
      '1 failed',
      '2 waiting',
      '2 delivered',
    ]);
  });
  test('is a draft, or what its recipients add up to (MSG-R-253)', () => {
    expect(rowState(row('1', { isDraft: true }))).toBe('Saved');
    expect(rowState(row('1', { delivery: counts({ delivered: 1, failed: 1 }) }))).toBe('Partly failed');
    expect(rowState(row('1', { delivery: counts({ failed: 2 }) }))).toBe('Failed');
    expect(rowState(row('1', { delivery: counts({ delivered: 1, sent: 1 }) }))).toBe('Sending');
    expect(rowState(row('1', { delivery: counts({ delivered: 2 }) }))).toBe('Delivered');
    expect(rowState(row('1', { delivery: counts() }))).toBe('Sent');
  });
});

describe('live changes', () => {
  const shown = [row('1'), row('2')];
  const fresh = [row('3'), row('1', { status: 'Failed' })];
  test('reach rows in view without moving any', () => {
    expect(mergeRows(shown, fresh).map((r) => `${r.id} ${r.status}`)).toEqual(['1 Failed', '2 Sent']);
  });
  test('count new rows', () => {
    expect(newRows(shown, fresh)).toBe(1);
  });
});

test('the address keeps only views and statuses that exist, and says on request that it came from the sidebar (MSG-R-058)', () => {
  expect([{}, { isLeftNav: true }].map((raw) => releaseSearch(raw).isLeftNav)).toEqual([undefined, true]);
  expect(releaseSearch({ view: 'drafts', statuses: 'Failed,Nonsense', isLeftNav: 'x' })).toMatchObject({
    view: 'drafts',
    statuses: 'Failed',
    isLeftNav: undefined,
  });
  expect([{}, { view: 'drafts' as const }, { view: 'sent' as const }, { statuses: 'Sent' }].map(draftsOnly)).toEqual([
    undefined,
    true,
    false,
    false,
  ]);
});
