/** Dates without time. The model is `YYYY-MM-DD`, people see and type `MM/DD/YYYY`. */

const pad = (n: number, width = 2) => String(n).padStart(width, '0');

/** `YYYY-MM-DD` of a moment in the reader's own time zone. */
export const isoDate = (d: Date) => `${pad(d.getFullYear(), 4)}-${pad(d.getMonth() + 1)}-${pad(d.getDate())}`;

export function isIsoDate(value: string): boolean {
  const m = /^(\d{4})-(\d{2})-(\d{2})$/.exec(value);
  if (!m) return false;
  const [, y, mo, d] = m.map(Number) as [number, number, number, number];
  const date = new Date(Date.UTC(y, mo - 1, d));
  return y >= 1 && date.getUTCMonth() === mo - 1 && date.getUTCDate() === d;
}

/** `YYYY-MM-DD` as `MM/DD/YYYY`; anything else unchanged, so that a wrong entry stays visible. */
export const showDate = (value: string | null | undefined) => {
  if (!value) return '';
  return isIsoDate(value) ? `${value.slice(5, 7)}/${value.slice(8, 10)}/${value.slice(0, 4)}` : value;
};

/** `YYYY-MM-DD` as `MM/dd/yy`, where there is little room. */
export const showShortDate = (iso: string) => `${iso.slice(5, 7)}/${iso.slice(8, 10)}/${iso.slice(2, 4)}`;

/** While typing: digits and slash only, at most 10 characters; plain digits get their slashes. */
export function maskDate(text: string): string {
  const kept = text.replace(/[^\d/]/g, '');
  const ownSlashes = [...kept].some((c, i) => c === '/' && i !== 2 && i !== 5);
  if (ownSlashes || kept.endsWith('/')) return kept.slice(0, 10);
  const digits = kept.replace(/\//g, '').slice(0, 8);
  return [digits.slice(0, 2), digits.slice(2, 4), digits.slice(4)].filter(Boolean).join('/');
}

/** Maximum number of years ahead for two-digit years of dates that may be in the future. */
const AHEAD = 20;
/** Two digits up to this year's are 20xx, later ones 19xx; of dates that may lie ahead, 20xx within 20 years. */
const fullYear = (twoDigits: number, today: Date, allowFuture: boolean) =>
  (2000 + twoDigits <= today.getFullYear() + (allowFuture ? AHEAD : 0) ? 2000 : 1900) + twoDigits;

type Options = { today: Date; allowFuture?: boolean };

/**
 * Reads `M/d/yyyy`, `M/d/yy`, `MMddyyyy` (8 or more digits) and `MMddyy` (6 or 7 digits).
 * A date after today moves back 100 years unless the field allows the future. Returns null when it is no date.
 */
export function parseDate(text: string, { today, allowFuture = false }: Options): string | null {
  const slashed = /^\s*(\d{1,2})\/(\d{1,2})\/(\d{4}|\d{2})\s*$/.exec(text);
  const digits = text.replace(/\D/g, '');
  let parts: [string, string, string];
  if (slashed) parts = [slashed[1]!, slashed[2]!, slashed[3]!];
  else if (digits.length >= 8) parts = [digits.slice(0, 2), digits.slice(2, 4), digits.slice(4, 8)];
  else if (digits.length >= 6) parts = [digits.slice(0, 2), digits.slice(2, 4), digits.slice(4, 6)];
  else return null;
  const year = parts[2].length === 2 ? fullYear(Number(parts[2]), today, allowFuture) : Number(parts[2]);
  const iso = `${pad(year, 4)}-${parts[0].padStart(2, '0')}-${parts[1].padStart(2, '0')}`;
  if (!isIsoDate(iso)) return null;
  if (allowFuture || iso <= isoDate(today)) return iso;
  const back = `${pad(year - 100, 4)}${iso.slice(4)}`;
  return isIsoDate(back) ? back : null;
}

export const addDays = (d: Date, days: number) => new Date(d.getFullYear(), d.getMonth(), d.getDate() + days);

export type DateRange = { start: string; end: string };

/** The named ranges of the date range filter, in their order. */
export function namedRanges(today: Date): { label: string; range: DateRange }[] {
  const range = (from: Date, to: Date): DateRange => ({ start: isoDate(from), end: isoDate(to) });
  const y = today.getFullYear();
  const m = today.getMonth();
  return [
    { label: 'Today', range: range(today, today) },
    { label: 'Yesterday', range: range(addDays(today, -1), addDays(today, -1)) },
    { label: 'Last 7 Days', range: range(addDays(today, -7), today) },
    { label: 'Last 30 Days', range: range(addDays(today, -30), today) },
    { label: 'This Month', range: range(new Date(y, m, 1), today) },
    { label: 'Last Month', range: range(new Date(y, m - 1, 1), new Date(y, m, 0)) },
  ];
}

/** Without a choice the picker spans last year to today. */
export const defaultRange = (today: Date): DateRange => ({
  start: isoDate(new Date(today.getFullYear() - 1, today.getMonth(), today.getDate())),
  end: isoDate(today),
});

/** Reports span last month to today without a choice. */
export const reportRange = (today: Date): DateRange => {
  const [y, m, d] = [today.getFullYear(), today.getMonth(), today.getDate()];
  // If the month has no such day, its last one.
  const daysBefore = new Date(y, m, 0).getDate();
  return { start: isoDate(new Date(y, m - 1, Math.min(d, daysBefore))), end: isoDate(today) };
};

export const REPORT_DATES_ERROR = 'Start Date must be smaller or equal than End Date.';

/** The invalid dates of a report: missing, in the future, or a start after the end. */
export function reportDateErrors({ start, end }: DateRange, today: Date): Partial<Record<keyof DateRange, string>> {
  const isGood = (date: string) => isIsoDate(date) && date <= isoDate(today);
  const isReversed = isIsoDate(start) && isIsoDate(end) && start > end;
  return {
    ...(isGood(start) && !isReversed ? {} : { start: REPORT_DATES_ERROR }),
    ...(isGood(end) ? {} : { end: REPORT_DATES_ERROR }),
  };
}

/** Before anything was exchanged: from here on is from all dates. */
export const EVER = '2000-01-01';
export const allDates = (today: Date): DateRange => ({ start: EVER, end: isoDate(today) });

export function rangeLabel(range: DateRange, today: Date): string {
  if (range.start === EVER) return range.end === isoDate(today) ? 'All Dates' : `Until ${showDate(range.end)}`;
  const named = namedRanges(today).find((n) => n.range.start === range.start && n.range.end === range.end);
  return named?.label ?? `${showDate(range.start)} – ${showDate(range.end)}`;
}

/** First moment of a day, as RFC 3339 UTC. */
export const startOfDay = (iso: string) => new Date(`${iso}T00:00:00`).toISOString();
/** Last moment of a day, as RFC 3339 UTC. */
export const endOfDay = (iso: string) => new Date(`${iso}T23:59:59.999`).toISOString();
