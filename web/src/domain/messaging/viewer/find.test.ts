import { expect, test } from 'vitest';
import { countMatches, markMatches } from './find';

test('words are found and marked without regard to case, and text never becomes markup', () => {
  expect(countMatches(['Lisinopril and lisinopril', '<b>'], 'LISINOPRIL')).toBe(2);
  expect(markMatches('a < Echo', 'echo')).toBe('a &#60; <mark>Echo</mark>');
});
