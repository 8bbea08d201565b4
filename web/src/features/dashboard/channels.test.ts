import { expect, test } from 'vitest';
import { barsOf, toneOf, toneOfAlert } from './channels';

test('a channel in error is red, one to be watched orange, any other blue (ADB-R-201, ADB-R-202, ADB-R-203)', () => {
  expect(['Error', 'Warn', 'Ok', 'Anything'].map(toneOf)).toEqual(['danger', 'warn', 'info', 'info']);
});

test('a triggered alert is a danger, one to be watched a warning, any other is well (ADB-R-204, ADB-R-205, ADB-R-206)', () => {
  expect(['Triggered', 'Warn', 'Recovered'].map(toneOfAlert)).toEqual(['danger', 'warn', 'success']);
});

test('days are as high as their numbers, and a few messages stay visible', () => {
  const dailyStats = [0, 1, 50, 100].map((value) => ({ date: '2026-11-09', value }));
  expect(barsOf({ dailyStats })).toEqual([0, 8, 50, 100]);
  expect(barsOf({ dailyStats: dailyStats.slice(0, 1) })).toEqual([0]);
});
