import type { DnsRecord } from '@/api/types';

/** The records as a zone file; values known only to others are left out. */
export const zoneFile = (records: DnsRecord[]) =>
  records
    .filter((r) => r.value)
    .map((r) => `${r.name}. 3600 IN ${r.kind === 'A' && r.value.includes(':') ? 'AAAA' : r.kind} ${r.value}\n`)
    .join('');

/** The number of records found, in words. */
export function countsOf(records: DnsRecord[]): string {
  const count = (state: DnsRecord['state']) => records.filter((r) => r.state === state).length;
  const parts = [
    [count('found'), 'found'],
    [count('differs'), count('differs') === 1 ? 'differs' : 'differ'],
    [count('missing'), 'missing'],
    [count('unknown'), 'not known'],
  ] as const;
  return parts
    .filter(([n]) => n > 0)
    .map(([n, word]) => `${n} ${word}`)
    .join(', ');
}
