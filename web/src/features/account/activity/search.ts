import { isIsoDate } from '@/shared/rules/dates';
import { EVENT_TYPES } from '@/shared/rules/events';
import { type ListSearch, listOf, listSearch } from '@/shared/table/listSearch';

export type ActivitySearch = ListSearch & { events?: string; person?: string; from?: string; until?: string };

const day = (value: unknown) => (typeof value === 'string' && isIsoDate(value) ? value : undefined);

/** Kept free of components: the route file is in the entry bundle. */
export function activitySearch(raw: Record<string, unknown>): ActivitySearch {
  const events = listOf(raw.events).filter((e) => (EVENT_TYPES as readonly string[]).includes(e));
  return {
    ...listSearch(raw),
    events: events.join(',') || undefined,
    person: typeof raw.person === 'string' && raw.person ? raw.person : undefined,
    from: day(raw.from),
    until: day(raw.until),
  };
}
