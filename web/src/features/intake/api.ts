import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { api, quiet, unwrap } from '@/api/client';
import type { IntakePage, IntakeRequest } from '@/api/types';
import { assignMessage } from '@/features/messaging/api';
import { defaultStart } from './defaults';

/** The optimized call answers like the other; the feature flag chooses. */
const fetchIntake = (body: IntakeRequest, optimized: boolean): Promise<IntakePage> =>
  optimized ? unwrap(api.POST('/api/intake', { body, ...quiet })) : unwrap(api.POST('/api/messages', { body, ...quiet }));

export const intakeKey = ['intake'] as const;

/** The table shows its own loading state, so the loading line stays quiet. */
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
    queryFn: async () => (await fetchIntake({ pageStart: 1, pageSize: 10, isAll: true, startDate: defaultStart() }, optimized)).counts,
  });

/** The organization's own addresses, for the "To" filter. */
export const ownAddressesQuery = queryOptions({
  queryKey: ['reference', 'ownAddresses'],
  queryFn: async () => (await unwrap(api.GET('/api/documentsources/release', quiet))).items,
});

/** Several messages with one act; what fails is told together. */
async function each(ids: string[], act: (id: string) => Promise<unknown>) {
  const results = await Promise.allSettled(ids.map(act));
  const failed = results.filter((r) => r.status === 'rejected');
  if (failed.length === ids.length && failed[0]) throw failed[0].reason;
  return { done: ids.length - failed.length, failed: failed.length };
}

export function useBulk(act: (id: string) => Promise<unknown>) {
  const client = useQueryClient();
  return useMutation({ mutationFn: (ids: string[]) => each(ids, act), onSettled: () => client.invalidateQueries({ queryKey: intakeKey }) });
}

export function useBulkAssign() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ ids, to }: { ids: string[]; to: string | null }) => each(ids, (id) => assignMessage(id, to)),
    onSettled: () => client.invalidateQueries({ queryKey: intakeKey }),
  });
}
