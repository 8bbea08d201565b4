import { expect, test } from 'vitest';
import type { DnsRecord } from '@/api/types';
import { countsOf, zoneFile } from './zone';

const record = (kind: string, value: string, state: DnsRecord['state']): DnsRecord => ({
  kind,
  name: `${kind}.example`,
  value,
  state,
  text: '',
});

test('records become a zone file, and are counted in words', () => {
  const records = [record('A', '2001:db8::5', 'found'), record('MX', '10 mail.example.', 'missing'), record('CERT', '', 'unknown')];
  expect(zoneFile(records)).toBe('A.example. 3600 IN AAAA 2001:db8::5\nMX.example. 3600 IN MX 10 mail.example.\n');
  expect(countsOf(records)).toBe('1 found, 1 missing, 1 not known');
});
