import { expect, test } from 'vitest';
import {
  downloadName,
  formatAddress,
  formatCount,
  formatFax,
  formatPhone,
  formatRecent,
  formatSince,
  formatSize,
  formatSsn,
  formatWhen,
  initials,
  splitAddresses,
  truncate,
} from './format';

const now = new Date(2026, 10, 20, 15, 0);
const at = (...parts: [number, number, number, number, number]) => new Date(...parts).toISOString();

test('a time of today reads "Today at h:mm a", an older one "MMM d, yyyy" (SES-S-065, SES-R-271, SES-R-272, SES-T-082)', () => {
  expect(formatWhen(at(2026, 10, 20, 8, 4), now)).toBe('Today at 8:04 AM');
  expect(formatWhen(at(2026, 10, 19, 8, 4), now)).toBe('Nov 19, 2026');
  expect(formatWhen(null, now)).toBe('');
});

test('within a sentence a time of today is written small', () => {
  expect(formatSince(at(2026, 10, 20, 8, 4), now)).toBe('since today at 8:04 AM');
  expect(formatSince(at(2026, 10, 19, 8, 4), now)).toBe('since Nov 19, 2026');
});

test('recent activity reads "h:mm a" today and "MMM dd" before (SES-R-273, SES-R-274)', () => {
  expect(formatRecent(at(2026, 10, 20, 13, 30), now)).toBe('1:30 PM');
  expect(formatRecent(at(2026, 10, 9, 13, 30), now)).toBe('Nov 09');
});

test('sizes read in k, at least 1, up to 1,023, and then in MB (SES-R-275, MSG-R-468, MSG-R-081)', () => {
  expect([0, 900, 428_032, 1_047_552, 1_047_553].map(formatSize)).toEqual(['1 k', '1 k', '418 k', '1,023 k', '1.0 MB']);
  expect([5_242_880, 36_507_222_016].map(formatSize)).toEqual(['5.0 MB', '34,816.0 MB']);
});

test('fax numbers of 10 to 13 digits get dashes (SES-R-267, MSG-R-335)', () => {
  expect(['5550100142', '15550100142', '445550100142', '3535550100142', '12345'].map(formatFax)).toEqual([
    '555-010-0142',
    '1-555-010-0142',
    '44-555-010-0142',
    '353-555-010-0142',
    '12345',
  ]);
  expect(formatAddress('front@brannoc.example')).toBe('front@brannoc.example');
});

test('a telephone number of ten digits is formatted, any other is not shown (SES-R-268, SES-R-269, MSG-R-334)', () => {
  expect(formatPhone('5550100142')).toBe('(555) 010-0142');
  expect(formatPhone('15550100142')).toBe('');
  expect(formatSsn('123456789')).toBe('123-45-6789');
});

test('long text ends in " ..." (SES-R-276)', () => {
  expect(truncate('x'.repeat(80))).toBe('x'.repeat(80));
  expect(truncate('x'.repeat(81))).toBe(`${'x'.repeat(80)} ...`);
});

test('counts above the cap end in a plus', () => {
  expect(formatCount(312)).toBe('312');
  expect(formatCount(10_000, true)).toBe('10,000+');
  expect(formatCount(120, false, 99)).toBe('99+');
});

test('names of made files carry brand, type and a UTC time (MSG-R-469)', () => {
  expect(downloadName('Care post', 'pdf-export', 'pdf', new Date('2026-11-20T10:15:00.123Z'))).toBe(
    'Care-post_pdf-export_20261120T101500Z.pdf',
  );
});

test('addresses are separated by semicolons, people have two initials', () => {
  expect(splitAddresses('a@x.example; 5550142;')).toEqual(['a@x.example', '5550142']);
  expect(initials('Larkfield Family Medicine')).toBe('LF');
  expect(initials('dana')).toBe('D');
});
