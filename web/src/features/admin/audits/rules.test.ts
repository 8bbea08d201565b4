import { expect, test } from 'vitest';
import type { AuditRecord } from '@/api/types';
import { after, csvName, findingText, NOTHING, rangeOf, screenOf } from './rules';

const today = new Date(2026, 10, 25);

test('without days, or with days that are none, the list spans a week', () => {
  expect(rangeOf(undefined, '2026-02-30', today)).toEqual({ start: '2026-11-19', end: '2026-11-25' });
  expect(rangeOf('2026-11-01', '2026-11-02', today)).toEqual({ start: '2026-11-01', end: '2026-11-02' });
});

test('the file is named by its days as MMDDYYYY (ADB-R-236, ADB-T-054)', () => {
  expect(csvName({ start: '2026-11-01', end: '2026-11-24' })).toBe('AuditEntries_11012026-11242026.csv');
});

test('parts of a verification add up', () => {
  const finding = { organizationId: null, organizationName: null, seq: 1200, problem: 'Removed' as const };
  const first = after(NOTHING, { checked: 20_000, total: 30_000, findings: [finding], next: { chainId: 'c', seq: 1 }, heads: null });
  expect(first).toMatchObject({ checked: 20_000, total: 30_000, isOver: false });
  const heads = { keptAt: null, problems: [] };
  expect(after(first, { checked: 10_001, total: 30_000, findings: [], next: null, heads })).toEqual({
    checked: 30_001,
    total: 30_001,
    findings: [finding],
    heads,
    isOver: true,
  });
  expect(findingText(finding)).toBe('Entry 1,200 of the platform was removed.');
});

test('an entry leads to the screen of what it is about, if operators have one', () => {
  const about = (objectType: string, objectName = 'Northgate', organizationId: string | null = null) =>
    screenOf({ objectType, objectId: '7', objectName, organizationId } as AuditRecord);
  expect(about('organization')).toBe('/admin/organizations/7/details');
  expect(about('plan')).toBe('/admin/plans?edit=7');
  expect(about('plan', '')).toBeUndefined();
  expect(about('message')).toBeUndefined();
  expect(about('releasetype')).toBe('/admin/releasetypes?edit=7');
  expect(about('releasetype', 'Northgate', '9')).toBeUndefined();
});
