import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReleasePage as Page } from '@/api/types';
import { tellsOf, useFresh } from '@/shared/hubs';
import { endOfDay, startOfDay } from '@/shared/rules/dates';
import { listOf, type SortState } from '@/shared/table/listSearch';
import { ownSearch, useExistingPage, useListState } from '@/shared/table/useListState';
import { useSelection } from '@/shared/table/useSelection';
import { usePreference } from '@/shared/usePreference';
import { forgetReleaseLists, refetchReleases, type ReleaseListRequest, releasesQuery } from '../api';
import { mergeRows, newRows } from './delivery';
import { draftsOnly, type ReleaseSearch } from './search';

export const DEFAULT_ORDER: SortState = { by: 'createdDate', dir: 'desc' };

/** Delivery states change in place; new rows wait behind a button. */
function useLiveRows(request: ReleaseListRequest) {
  const client = useQueryClient();
  const [arrived, setArrived] = useState(0);
  const { queryKey } = releasesQuery(request);
  const look = async () => {
    const fresh = await refetchReleases(request).catch(() => null);
    const shown = client.getQueryData<Page>(queryKey);
    if (!fresh || !shown) return;
    setArrived(newRows(shown.items, fresh.items));
    client.setQueryData<Page>(queryKey, { ...shown, items: mergeRows(shown.items, fresh.items) });
  };
  useFresh((frame) => tellsOf(frame, 'release'), look);
  const refresh = () => {
    setArrived(0);
    return forgetReleaseLists();
  };
  return { arrived, refresh };
}

export type ReleaseList = ReturnType<typeof useReleaseList>;

/** The list of the URL: its page of releases, filters and selection. */
export function useReleaseList() {
  const [keptSize, keepSize] = usePreference('releasePageSize', 25);
  const list = useListState<ReleaseSearch>({ size: keptSize, sort: DEFAULT_ORDER, privateSearch: true });
  const { search, words, page, size, set, order } = list;
  const range = search.from && search.until ? { start: search.from, end: search.until } : null;
  const isDefaultOrder = order.by === DEFAULT_ORDER.by && order.dir === DEFAULT_ORDER.dir;
  const statuses = listOf(search.statuses);
  const areDrafts = search.view === 'drafts';
  const request: ReleaseListRequest = {
    pageStart: page,
    pageSize: size,
    cursor: search.cursor,
    isDraft: draftsOnly(search),
    filter: words || undefined,
    statuses: areDrafts ? undefined : search.statuses,
    startDate: range ? startOfDay(range.start) : undefined,
    endDate: range ? endOfDay(range.end) : undefined,
    // Search results are sorted newest first.
    ...(words || isDefaultOrder ? {} : { orderBy: order.by ?? undefined, orderDir: order.dir }),
  };
  const selection = useSelection(JSON.stringify({ ...request, pageStart: 0, pageSize: 0, cursor: undefined }));
  const query = useQuery(releasesQuery(request));
  const { arrived, refresh } = useLiveRows(request);
  const isGone = useExistingPage(list, {
    rows: query.data?.items,
    total: query.data?.totalCount,
    isPlaceholder: query.isPlaceholderData,
  });
  return {
    list,
    range,
    statuses,
    areDrafts,
    isFiltered: Boolean(words || statuses.length || range),
    clear: () => set({ statuses: undefined, from: undefined, until: undefined }, ownSearch(undefined)),
    keepSize: (n: number) => {
      keepSize(n);
      set({ size: n });
    },
    request,
    selection,
    query,
    rows: isGone ? undefined : query.data?.items,
    arrived,
    refresh,
  };
}
