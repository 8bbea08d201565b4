import { expect, test } from 'vitest';
import { matches } from './CommandPalette';

test('an entry is found by the beginnings of its words, in any order', () => {
  expect(matches('New release', 'rel new')).toBe(true);
  expect(matches('Single sign-on', 'sing')).toBe(true);
  expect(matches('New release', 'lease')).toBe(false);
  expect(matches('New release', 'new draft')).toBe(false);
});
