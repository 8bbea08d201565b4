import { expect, test } from 'vitest';
import { filterOf } from './api';

const now = new Date('2026-11-25T12:00:00Z');

test('expiring soon is from now to 60 days ahead (ADB-R-047, ADB-R-049, ADB-R-050)', () => {
  expect(filterOf(undefined, true, now)).toBe('ExpirationDate ge 2026-11-25T12:00:00.000Z and ExpirationDate le 2027-01-24T12:00:00.000Z');
  expect(filterOf(undefined, false, now)).toBeUndefined();
});

test('a quote in a search is written twice', () => {
  expect(filterOf("O'Neil", false, now)).toBe("contains(Organization,'O''Neil')");
});
