import { expect, test } from 'vitest';
import { nextOffset } from './turning';

const starts = [0, 1000, 2000];

test('a stroke goes on by a window and stops where a page begins', () => {
  expect(nextOffset({ scrolled: 0, height: 600, by: 1, starts })).toBe(540);
  expect(nextOffset({ scrolled: 540, height: 600, by: 1, starts })).toBe(1000);
  expect(nextOffset({ scrolled: 1000, height: 600, by: -1, starts })).toBe(460);
  expect(nextOffset({ scrolled: 460, height: 600, by: -1, starts })).toBe(0);
});

test('where a page fits into the window, a stroke turns one page', () => {
  expect(nextOffset({ scrolled: 0, height: 1200, by: 1, starts })).toBe(1000);
  expect(nextOffset({ scrolled: 2000, height: 1200, by: -1, starts })).toBe(1000);
});
