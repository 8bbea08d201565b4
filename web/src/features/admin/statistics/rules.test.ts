import { expect, test } from 'vitest';
import { lineOf } from './rules';

test('a line reaches from side to side, its largest value to the top, and has gaps where nothing was measured', () => {
  expect(lineOf([0, 5, 10], 100, 50)).toBe('M0.0 50.0L50.0 25.0L100.0 0.0');
  expect(lineOf([10, null, 10], 100, 50)).toBe('M0.0 0.0M100.0 0.0');
  expect(lineOf([], 100, 50)).toBe('');
  expect(lineOf([null, 0], 100, 50)).toBe('M100.0 50.0');
});
