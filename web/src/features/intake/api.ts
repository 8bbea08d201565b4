import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { api, quiet, unwrap } from '@/api/client';
import { assignMessage } from '@/features/messaging/api';
import { intakeKey } from '@/features/messaging/intakeList';

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
