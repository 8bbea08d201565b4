import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { IntakePage as Page, IntakeRequest } from '@/api/types';
import { useFeature } from '@/app/session';
import { refreshIntake } from '@/domain/messaging/api';
import { defaultStart, intakeCountsQuery, intakeQuery, quickViewsQuery, TO_DO } from '@/domain/messaging/intakeList';
import { now } from '@/shared/clock';
import { EVER } from '@/shared/rules/dates';
import { rowsOfWindow } from '@/shared/table/listSearch';
import { ownSearch, useExistingPage, useListState } from '@/shared/table/useListState';
import { useSelection } from '@/shared/table/useSelection';
import { usePreference } from '@/shared/usePreference';
import { DEFAULT_ORDER, filtersOf, hasFilters, type IntakeSearch, intakeRequest, keepOrder } from './list';
import { leaveTrail } from './trail';

const cleared: Partial<IntakeSearch> = {
  from: undefined,
  until: undefined,
  status: undefined,
  source: undefined,
  to: undefined,
  processed: undefined,
};

/** New values appear in the rows in view; new rows wait until the user asks for them. */
function useSteadyList(
  fresh: Page | undefined,
  key: string,
  { isPlaceholder, isFetching }: { isPlaceholder: boolean; isFetching: boolean },
) {
  const [kept, setKept] = useState<{ key: string; page: Page } | null>(null);
  // Cached data of another view is refetched first.
  if (fresh && !isPlaceholder && !isFetching && kept?.key !== key) setKept({ key, page: fresh });
  const showFresh = () => setKept(null);
  if (!fresh || isPlaceholder || kept?.key !== key) return { page: fresh, arrived: 0, showFresh };
  return { ...keepOrder(kept.page, fresh), showFresh };
}

/** The number of messages in the list. For frequent search words it is counted after the page has loaded. */
function useTotal(shown: Page | undefined, body: IntakeRequest, isPlaceholder: boolean): { total?: number; capped: boolean } {
  const isUncounted = shown !== undefined && shown.totalCount == null;
  const { data: counted } = useQuery({ ...intakeCountsQuery(filtersOf(body)), enabled: isUncounted && !isPlaceholder });
  const known = isUncounted ? counted : shown;
  return { total: known?.totalCount ?? undefined, capped: Boolean(known?.totalIsCapped) };
}

/** The longest delay that a timer takes, in ms. */
const TIMER_MAX = 2_147_483_647;

/** Refetches the list when a snoozed message comes back. */
function useWake(at: string | null | undefined) {
  const client = useQueryClient();
  useEffect(() => {
    if (!at) return;
    const delay = Math.min(Math.max(new Date(at).getTime() - now().getTime() + 500, 0), TIMER_MAX);
    const timer = setTimeout(() => void refreshIntake(client), delay);
    return () => clearTimeout(timer);
  }, [at, client]);
}

export type IntakeList = ReturnType<typeof useIntakeList>;

/** The list of the URL: its page of messages, counts and selection. */
export function useIntakeList() {
  const optimized = useFeature('OptimizedIntake');
  const [keptSize, keepSize] = usePreference<number | null>('intakePageSize', null);
  const [fitting] = useState(() => rowsOfWindow(window.innerHeight));
  const list = useListState<IntakeSearch>({ size: keptSize ?? fitting, sort: DEFAULT_ORDER, privateSearch: true });
  const { search, words, page, size, order, set } = list;
  const body = intakeRequest({ search, words, page, size, order });
  const query = useQuery(intakeQuery(body, optimized));
  const {
    page: listed,
    arrived,
    showFresh,
  } = useSteadyList(query.data, JSON.stringify(body), {
    isPlaceholder: query.isPlaceholderData,
    isFetching: query.isFetching,
  });
  const { total, capped } = useTotal(listed, body, query.isPlaceholderData);
  const isGone = useExistingPage(list, { rows: listed?.items, total, isPlaceholder: query.isPlaceholderData });
  const shown = isGone ? undefined : listed;
  const { data: counted } = useQuery(quickViewsQuery(intakeRequest({ search, words: '', page, size, order })));
  useWake(counted?.nextWakeAt);
  const isFiltered = hasFilters(search, words);
  const isDefault = !isFiltered && search.view !== 'snoozed';
  const { data: older } = useQuery({ ...intakeCountsQuery({ ...TO_DO, startDate: EVER, endDate: defaultStart() }), enabled: isDefault });
  // Whether any message exists, which the empty list does not tell.
  const isEmpty = listed?.items.length === 0;
  const { data: ever } = useQuery({ ...intakeCountsQuery({ startDate: defaultStart() }), enabled: isEmpty && isDefault });
  const selection = useSelection(JSON.stringify(filtersOf(body)));
  const client = useQueryClient();

  /** Remembers the list for navigation between messages. */
  const noteTrail = () => {
    if (!shown) return;
    leaveTrail({
      request: body,
      optimized,
      stops: shown.items,
      offset: (page - 1) * size,
      total: total ?? (page - 1) * size + shown.items.length,
      capped: capped || total === undefined,
    });
  };
  return {
    list,
    body,
    optimized,
    query,
    shown,
    /** Number of new rows that are not shown yet. */
    arrived,
    showFresh,
    refresh: async () => {
      await refreshIntake(client);
      showFresh();
    },
    total,
    capped,
    views: counted?.quickViews,
    isFiltered,
    /** Messages to do from before the shown dates; absent if other dates were chosen. */
    older: isDefault ? older : undefined,
    /** Number of all messages of these dates. */
    ever: ever?.totalCount,
    selection,
    clear: () => set(cleared, ownSearch(undefined)),
    keepSize: (n: number) => {
      keepSize(n);
      set({ size: n });
    },
    noteTrail,
  };
}
