import { expect, test } from 'vitest';
import { backOff } from './hubs';

test('a lost connection reconnects after 1 s, then after longer and longer times up to 30 s', () => {
  expect([0, 1, 2, 3, 10].map((n) => backOff(n, 0))).toEqual([1000, 2000, 4000, 8000, 30_000]);
  expect(backOff(0, 1)).toBe(1250);
});
