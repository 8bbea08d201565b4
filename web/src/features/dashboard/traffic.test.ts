import { expect, test } from 'vitest';
import type { Dashboard } from '@/api/types';
import { ceilingOf, dayLabel, isLabelled, stepsOf } from './traffic';

const day = (received: number, sent = 0) => ({ date: '2026-11-09', received, sent });
const users = { active: 1, invited: 0, disabled: 0, allowedUsers: 3 };

test('the scale ends at a round number', () => {
  expect([0, 1, 3, 9, 14, 46, 91].map((n) => ceilingOf([day(n)]))).toEqual([1, 1, 5, 10, 20, 50, 100]);
  expect(ceilingOf([])).toBe(1);
});
test('a day is the same in every time zone', () => expect(dayLabel('2026-11-09')).toBe('Nov 09'));
test('today is always labelled, and at most every seventh part', () => {
  expect(isLabelled(13, 14)).toBe(true);
  expect(Array.from({ length: 30 }, (_, i) => isLabelled(i, 30)).filter(Boolean)).toHaveLength(6);
});
test('the steps are shown until the last is done', () => {
  const begun: Dashboard = { traffic: [], users, isActivated: false, termsAcceptedDate: '2026-11-01T09:00:00Z', idProofedDate: null };
  expect(stepsOf(begun).map((s) => s.done)).toEqual([true, false, false, false]);
  const done = { ...begun, idProofedDate: '2026-11-02T09:00:00Z', isActivated: true, users: { ...users, invited: 2 } };
  expect(stepsOf(done)).toEqual([]);
});
