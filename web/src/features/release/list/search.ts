import { isIsoDate } from '@/shared/rules/dates';
import { listOf, listSearch, type ListSearch } from '@/shared/table/listSearch';

/** Kept free of components: the route file is in the entry bundle. */
export const STATUSES = ['Pending', 'Sent', 'Failed'] as const;
export type ReleaseSearch = ListSearch & {
  view?: 'drafts' | 'sent';
  statuses?: string;
  from?: string;
  until?: string;
  isLeftNav?: boolean;
};

export function releaseSearch(raw: Record<string, unknown>): ReleaseSearch {
  const day = (value: unknown) => (typeof value === 'string' && isIsoDate(value) ? value : undefined);
  const statuses = listOf(raw.statuses).filter((s) => (STATUSES as readonly string[]).includes(s));
  return {
    ...listSearch(raw),
    view: raw.view === 'drafts' || raw.view === 'sent' ? raw.view : undefined,
    statuses: statuses.join(',') || undefined,
    from: day(raw.from),
    until: day(raw.until),
    isLeftNav: raw.isLeftNav === true || undefined,
  };
}

/** Drafts, sent messages, or both; only sent messages have a status to filter by. */
export const draftsOnly = ({ view, statuses }: Pick<ReleaseSearch, 'view' | 'statuses'>) =>
  view === 'drafts' ? true : view === 'sent' || statuses ? false : undefined;
