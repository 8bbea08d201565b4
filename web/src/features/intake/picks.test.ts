import { expect, test } from 'vitest';
import { matches } from './PickDialog';

test('a type and its confidentiality are typed in one line', () => {
  const lab = { value: 'a', label: 'Lab report' };
  const restricted = { value: 'b', label: 'Lab report', variant: 'Restricted' };
  expect([matches(lab, ['lab']), matches(restricted, ['lab'])]).toEqual([true, false]);
  expect([matches(lab, ['lab', 'res']), matches(restricted, ['lab', 'res'])]).toEqual([false, true]);
  expect(matches(restricted, ['visit', 'res'])).toBe(false);
});
