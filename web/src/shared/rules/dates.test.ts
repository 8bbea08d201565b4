import { expect, test } from 'vitest';
import { defaultRange, isIsoDate, maskDate, namedRanges, parseDate, rangeLabel, reportDateErrors, reportRange, showDate } from './dates';

const today = new Date(2026, 10, 20);
const read = (text: string, allowFuture = false) => parseDate(text, { today, allowFuture });

test('a date is read as M/D/YYYY, M/D/YY, MMDDYYYY or MMDDYY (SES-R-255, SES-R-256, MSG-R-320)', () => {
  expect(read('3/4/1961')).toBe('1961-03-04');
  expect(read('03/14/61')).toBe('1961-03-14');
  expect(read('03141961')).toBe('1961-03-14');
  expect(read('031461')).toBe('1961-03-14');
  expect(read('born 03-14-1961')).toBe('1961-03-14');
});

test('a year of two digits up to the current one is 20xx, a later one 19xx (MSG-R-325, MSG-R-326)', () => {
  expect(read('01/02/26')).toBe('2026-01-02');
  expect(read('01/02/27')).toBe('1927-01-02');
});

test('a year of two digits within 20 years ahead is 20xx where a date may lie ahead (ADA-R-293)', () => {
  expect(read('1/2/27', true)).toBe('2027-01-02');
  expect(read('010227', true)).toBe('2027-01-02');
  expect(read('1/2/46', true)).toBe('2046-01-02');
  expect(read('1/2/47', true)).toBe('1947-01-02');
  expect(read('1/2/99', true)).toBe('1999-01-02');
});

test('a date in the future moves back 100 years unless the field allows it (SES-R-257)', () => {
  expect(read('12/31/2026')).toBe('1926-12-31');
  expect(read('11/20/2026')).toBe('2026-11-20');
  expect(read('12/31/2026', true)).toBe('2026-12-31');
});

test('text that is no date gives null (SES-R-258)', () => {
  for (const text of ['', '13/45/2026', '02/30/2020', '1234', 'soon']) expect(read(text)).toBeNull();
});

test('typing keeps digits and slashes, at most ten characters, and puts slashes between digits (SES-R-252, MSG-R-321, MSG-R-322)', () => {
  expect(maskDate('12a')).toBe('12');
  expect(maskDate('122')).toBe('12/2');
  expect(maskDate('12251980')).toBe('12/25/1980');
  expect(maskDate('1/2/1980')).toBe('1/2/1980');
  expect(maskDate('12/25/198077')).toBe('12/25/1980');
});

test('the model is YYYY-MM-DD, people see MM/DD/YYYY, and a wrong entry stays visible (MSG-R-323, MSG-R-324)', () => {
  expect(showDate('1961-03-14')).toBe('03/14/1961');
  expect(showDate('13/45/2026')).toBe('13/45/2026');
  expect(isIsoDate('2024-02-29')).toBe(true);
  expect(isIsoDate('2023-02-29')).toBe(false);
});

test('the date range offers six named ranges and spans last year to today by default', () => {
  expect(namedRanges(today).map((n) => n.label)).toEqual(['Today', 'Yesterday', 'Last 7 Days', 'Last 30 Days', 'This Month', 'Last Month']);
  expect(namedRanges(today)[5]?.range).toEqual({ start: '2026-10-01', end: '2026-10-31' });
  expect(defaultRange(today)).toEqual({ start: '2025-11-20', end: '2026-11-20' });
  expect(rangeLabel({ start: '2026-10-21', end: '2026-11-20' }, today)).toBe('Last 30 Days');
  expect(rangeLabel({ start: '2026-01-02', end: '2026-01-03' }, today)).toBe('01/02/2026 – 01/03/2026');
});

test('a report spans last month to today by default (ADA-R-125)', () => {
  expect(reportRange(new Date(2026, 10, 21))).toEqual({ start: '2026-10-21', end: '2026-11-21' });
  expect(reportRange(new Date(2026, 2, 31))).toEqual({ start: '2026-02-28', end: '2026-03-31' });
  expect(reportRange(new Date(2026, 0, 5))).toEqual({ start: '2025-12-05', end: '2026-01-05' });
});

test('dates of a report are required, not in the future and not reversed, but may be equal (ADA-R-117, ADA-R-118, ADA-R-119, ADA-R-120, ADA-R-121)', () => {
  const today = new Date(2026, 10, 21);
  const wrong = (start: string, end: string) => Object.keys(reportDateErrors({ start, end }, today));
  expect(wrong('2026-11-20', '2026-11-21')).toEqual([]);
  expect(wrong('2026-11-21', '2026-11-21')).toEqual([]);
  expect(wrong('', '2026-11-21')).toEqual(['start']);
  expect(wrong('2026-11-21', '')).toEqual(['end']);
  expect(wrong('2026-11-22', '2026-11-22')).toEqual(['start', 'end']);
  expect(wrong('2026-11-21', '2026-11-20')).toEqual(['start']);
  expect(wrong('11/20', '2026-11-21')).toEqual(['start']);
});
