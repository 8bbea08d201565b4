import { expect, test } from 'vitest';
import { isId, isReversed, pretty, searchOf, spanOf } from './rules';

const today = new Date(2026, 10, 25, 15);

test('the list spans today without a choice (ADB-R-216)', () => {
  expect(spanOf(undefined, 'yesterday', today)).toEqual({ start: '2026-11-25T00:00:00', end: '2026-11-25T23:59:59' });
  expect(spanOf('2026-11-24T08:00:00', undefined, today).start).toBe('2026-11-24T08:00:00');
  expect(isReversed({ start: '2026-11-25T10:00:00', end: '2026-11-25T09:59:59' })).toBe(true);
});

test('the search is JSON with what is filled in (ADB-R-228)', () => {
  expect(searchOf({ url: '/api/intake', method: '', statusCode: '404' })).toBe('{"url":"/api/intake","statusCode":"404"}');
  expect(searchOf({ url: ' ' })).toBeUndefined();
});

test('only whole ids are searched for', () => {
  expect(isId('01935a4e-7c1b-7d2e-9f00-5b8f2a3c4d5e')).toBe(true);
  expect(isId('01935a4e')).toBe(false);
  expect(isId('')).toBe(true);
});

test('JSON is indented, and other text stays', () => {
  expect(pretty('{"a":1}')).toBe('{\n  "a": 1\n}');
  expect(pretty('a,b')).toBe('a,b');
});
