import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, quiet, unwrap } from '@/api/client';
import type { IntakePage, IntakeRequest } from '@/api/types';
import { addDays, isoDate, startOfDay } from '@/shared/rules/dates';

/** The list starts this many days back unless a range is chosen. */
export const DEFAULT_DAYS_BACK = 30;
export const defaultStart = (today = new Date()) => startOfDay(isoDate(addDays(today, -DEFAULT_DAYS_BACK)));

/** The optimized call answers like the other; the feature flag chooses. */
const fetchIntake = (body: IntakeRequest, optimized: boolean, background = false): Promise<IntakePage> => {
  const options = { body, ...(background ? quiet : {}) };
  return optimized ? unwrap(api.POST('/api/intake', options)) : unwrap(api.POST('/api/messages', options));
};

export const intakeKey = ['intake'] as const;

export const intakeQuery = (body: IntakeRequest, optimized: boolean) =>
  queryOptions({
    queryKey: [...intakeKey, 'list', body],
    queryFn: () => fetchIntake(body, optimized),
    placeholderData: keepPreviousData,
    meta: { page: true },
  });

/** Counts of the default view, for the sidebar and the dashboard. */
export const intakeCountsQuery = (optimized: boolean) =>
  queryOptions({
    queryKey: [...intakeKey, 'counts'],
    queryFn: async () =>
      (await fetchIntake({ pageStart: 1, pageSize: 10, isAll: true, startDate: defaultStart() }, optimized, true)).counts,
  });
