import { isIsoDate, isoDate } from '@/shared/rules/dates';

export const METHODS = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH'] as const;

/** The filters of the search, by their names in the API. */
export const FILTERS = ['tenantId', 'networkId', 'userId', 'url', 'method', 'statusCode'] as const;
export type Filters = Partial<Record<(typeof FILTERS)[number], string>>;

/** The API's parameter: JSON of the filled-in fields. */
export const searchOf = (filters: Filters): string | undefined => {
  const given = Object.fromEntries(Object.entries(filters).filter(([, value]) => value?.trim()));
  return Object.keys(given).length > 0 ? JSON.stringify(given) : undefined;
};

const TIME = /^([01]\d|2[0-3]):[0-5]\d:[0-5]\d$/;

/** A moment of the address, `2026-11-25T08:00:00`, in the reader's own time zone. */
const isLocal = (text: string | undefined): text is string => {
  const [day = '', time = ''] = (text ?? '').split('T');
  return isIsoDate(day) && TIME.test(time);
};

export type Span = { start: string; end: string };

/** Without a choice the list spans today. */
export const spanOf = (start: string | undefined, end: string | undefined, today: Date): Span => ({
  start: isLocal(start) ? start : `${isoDate(today)}T00:00:00`,
  end: isLocal(end) ? end : `${isoDate(today)}T23:59:59`,
});

export const isReversed = ({ start, end }: Span) => start > end;

/** Only whole ids are searched for. */
export const isId = (text: string | undefined) => !text?.trim() || /^[0-9a-f]{8}(-?[0-9a-f]{4}){3}-?[0-9a-f]{12}$/i.test(text.trim());

/** JSON with indentation; other text as it is. */
export function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
