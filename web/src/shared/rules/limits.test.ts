import { expect, test } from 'vitest';
import { limitError } from './limits';

const message = 'Please enter a name of 3 to 5 letters.';

test('lengths count characters of the trimmed text', () => {
  const name = { required: true, minLength: 3, maxLength: 5, pattern: '\\p{L}+|\\p{Emoji}+', message };
  for (const good of ['abc', '  abcde ', 'Žofia', '👍👍👍👍👍']) expect(limitError(name, good)).toBeNull();
  for (const bad of ['', '   ', 'ab', 'abcdef', 'ab c', 'abc1']) expect(limitError(name, bad)).toBe(message);
});

test('an optional value is checked only if present', () => {
  const code = { maxLength: 2, pattern: '[A-Z]{2}|X', message };
  expect([limitError(code, ''), limitError(code, null), limitError(code, ' ')]).toEqual([null, null, null]);
  // The whole text has to match, not a part of it.
  expect([limitError(code, 'AB'), limitError(code, 'Ab'), limitError(code, 'X1')]).toEqual([null, message, message]);
});

test('choices, numbers, formats and entries of lists are checked', () => {
  expect(limitError({ enum: ['a', 'b'] }, 'c')).not.toBeNull();
  expect(limitError({ minimum: 1, maximum: 9 }, 10)).not.toBeNull();
  expect(limitError({ minimum: 1, maximum: 9 }, 9)).toBeNull();
  expect(limitError({ format: 'oid' }, 'urn:oid:2.16.840.1')).toBeNull();
  expect(limitError({ format: 'phone' }, '740-555-011')).not.toBeNull();
  expect(limitError({ required: true, maxLength: 2, message }, ['ab', 'abc'])).toBe(message);
  expect(limitError({ required: true, maxLength: 2 }, [])).toBeNull();
});
