import { type ListSearch, listSearch } from '@/shared/table/listSearch';

/** Kept free of components: the route file is in the entry bundle. */
export type FailedSearch = ListSearch & { view?: 'waiting' | 'failed' | 'charts' };

export const failedSearch = (raw: Record<string, unknown>): FailedSearch => ({
  ...listSearch(raw),
  view: raw.view === 'waiting' || raw.view === 'failed' || raw.view === 'charts' ? raw.view : undefined,
});
