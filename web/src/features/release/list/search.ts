import { listOf, listSearch, type ListSearch } from '@/shared/table/listSearch';

/** Kept free of components: the route file is in the entry bundle. */
export const STATUSES = ['Pending', 'Sent', 'Failed'] as const;
export type ReleaseSearch = ListSearch & { view?: 'drafts' | 'sent'; statuses?: string; isLeftNav?: boolean };

export function releaseSearch(raw: Record<string, unknown>): ReleaseSearch {
  const statuses = listOf(raw.statuses).filter((s) => (STATUSES as readonly string[]).includes(s));
  return {
    ...listSearch(raw),
    view: raw.view === 'drafts' || raw.view === 'sent' ? raw.view : undefined,
    statuses: statuses.join(',') || undefined,
    isLeftNav: raw.isLeftNav === true || undefined,
  };
}

/** A status is something that only a sent message has. */
export const draftsOnly = (view: ReleaseSearch['view']) => (view === undefined ? undefined : view === 'drafts');
