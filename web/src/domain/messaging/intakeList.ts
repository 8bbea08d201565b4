import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { quiet } from '@/api/client';
import { queryOf } from '@/api/query';
import type { IntakeCounts, IntakePage, IntakeRequest } from '@/api/types';
import { now } from '@/shared/clock';
import { addDays, isoDate, startOfDay } from '@/shared/rules/dates';

/** The Intake, as the list itself, the sidebar and the dashboard ask for it. */

/** The list starts this many days back unless a range is chosen. */
export const DEFAULT_DAYS_BACK = 30;
export const defaultStart = (today = now()) => startOfDay(isoDate(addDays(today, -DEFAULT_DAYS_BACK)));

/** Every status but Processed. */
export const OPEN_STATUSES = ['Received', 'Uploaded', 'Triaged', 'Pending', 'Forwarded', 'Replied', 'Failed'];
/** Messages still to be processed: the default view of the list. */
export const TO_DO = { statuses: OPEN_STATUSES, hidesSnoozed: true } satisfies IntakeRequest;

/** The optimized call has the same answer; the feature flag chooses. */
const readIntake = (body: IntakeRequest, optimized: boolean) =>
  optimized ? queryOf('post', '/api/intake', { body, ...quiet }) : queryOf('post', '/api/messages', { body, ...quiet });
export const fetchIntake = (body: IntakeRequest, optimized: boolean): Promise<IntakePage> => readIntake(body, optimized).queryFn();

/** The table shows its own loading state, so the loading line stays quiet. */
export const intakeQuery = (body: IntakeRequest, optimized: boolean) =>
  queryOptions({
    ...readIntake(body, optimized),
    placeholderData: keepPreviousData,
    meta: { page: true },
  });

/** The first rows of the default view, for the dashboard. */
export const intakeOverviewQuery = (optimized: boolean) =>
  readIntake({ ...TO_DO, pageStart: 1, pageSize: 10, isAll: true, startDate: defaultStart() }, optimized);

/** Counts fetched apart from the list, so that no page of it waits. */
export const intakeCountsQuery = (filters: IntakeRequest) => queryOf('post', '/api/intake/counts', { body: filters, ...quiet });

const named = (words: string[] | undefined) => (words?.length ? words : undefined);

/** The counts under the list's filters, regardless of the quick view and the search words. */
export const quickViewsQuery = ({ startDate, endDate, statuses, sourceTypes, processedTypes, sources, hidesSnoozed }: IntakeRequest) =>
  queryOptions({
    ...intakeCountsQuery({
      startDate,
      endDate,
      statuses: named(statuses),
      sourceTypes: named(sourceTypes),
      processedTypes: named(processedTypes),
      sources: named(sources),
      hidesSnoozed: hidesSnoozed || undefined,
    }),
    placeholderData: keepPreviousData,
  });

/** The quick views of the default view, for the sidebar and the dashboard. */
export const unfilteredViewsQuery = () => ({
  ...quickViewsQuery({ ...TO_DO, startDate: defaultStart() }),
  select: (counts: IntakeCounts) => counts.quickViews,
});

/** The number of messages with a new note that names this person, from the same call. */
export const mentionsQuery = () => ({
  ...quickViewsQuery({ ...TO_DO, startDate: defaultStart() }),
  select: ({ mentionCount, mentionedIn }: IntakeCounts) => ({ count: mentionCount, messageId: mentionedIn ?? null }),
});
