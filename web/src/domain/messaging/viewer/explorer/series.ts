import type { CdaEntry, OutlineSection } from '@/api/types';
import { flat } from './sections';

export type Point = { at: number; value: number };
export type Series = { name: string; unit: string; low: number | null; high: number | null; points: Point[] };

/** Key shared by entries of the same measurement. */
export const seriesKey = (entry: CdaEntry) => entry.code || (entry.cells[0] ?? '');

/** `YYYY[MM[DD[HHMM]]]` (HL7 TS), the missing parts at their beginning. */
export function timeOf(ts: string | null | undefined): number | null {
  const match = /^(\d{4})(\d{2})?(\d{2})?(\d{2})?(\d{2})?/.exec(ts ?? '');
  if (!match) return null;
  const [year, month, day, hour, minute] = match.slice(1).map((part) => (part === undefined ? undefined : Number(part)));
  return Date.UTC(year!, (month ?? 1) - 1, day ?? 1, hour ?? 0, minute ?? 0);
}

/** A time of `timeOf` as a day. */
export const dayOf = (at: number) =>
  new Date(at).toLocaleDateString('en-US', { timeZone: 'UTC', month: '2-digit', day: '2-digit', year: 'numeric' });

/**
 * All values of one measurement in a document, the oldest first, with the latest reference range. Values in another unit than
 * that of the entry are another measurement.
 */
export function seriesOf(sections: OutlineSection[], entry: CdaEntry): Series | null {
  const { measure } = entry;
  if (!measure) return null;
  const all = flat(sections)
    .flatMap(({ section }) => section.entries?.rows ?? [])
    .filter((row) => seriesKey(row) === seriesKey(entry) && row.measure && row.measure.unit === measure.unit);
  const timed = all.flatMap((row) => {
    const at = timeOf(row.measure!.time);
    return at === null ? [] : [{ at, measure: row.measure! }];
  });
  timed.sort((a, b) => a.at - b.at);
  const latest = timed.at(-1)?.measure ?? measure;
  // The same result is often listed by several sections.
  const seen = new Set<string>();
  const points = timed.flatMap(({ at, measure: m }) => {
    const mark = `${at} ${m.value}`;
    if (seen.has(mark)) return [];
    seen.add(mark);
    return [{ at, value: m.value }];
  });
  return { name: entry.cells[0] ?? '', unit: measure.unit ?? '', low: latest.low ?? null, high: latest.high ?? null, points };
}

/** Round steps that cover all values and the limits of the range, four to seven of them. */
export function ticksOf({ points, low, high }: Series): number[] {
  const values = [...points.map((p) => p.value), ...[low, high].filter((limit) => limit !== null)];
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const span = most - least || Math.abs(most) || 1;
  const power = 10 ** Math.floor(Math.log10(span / 4));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => span / size <= 5)!;
  const first = Math.floor(least / step);
  const last = Math.max(Math.ceil(most / step), first + 1);
  return Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

/** `4.0 to 5.6`, `at most 100` or nothing. */
export function rangeWords({ low, high }: Pick<Series, 'low' | 'high'>): string {
  if (low !== null && high !== null) return `${low} to ${high}`;
  if (high !== null) return `at most ${high}`;
  return low !== null ? `at least ${low}` : '';
}
