import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { api, quiet, unwrap } from '@/api/client';
import { itemsOf, queryOf, refresh } from '@/api/query';
import type { BulkAct, BulkJob, BulkJobRequest } from '@/api/types';

const LOOK_EVERY_MS = 1000;

/** Acts on all messages that match, of the signed-in person, the newest first. Looked at again while one runs. */
export const jobsQuery = queryOptions({
  ...itemsOf(queryOf('get', '/api/messages/bulk/jobs', quiet)),
  refetchInterval: ({ state }) => (state.data?.some((job) => job.state === 'Running') ? LOOK_EVERY_MS : false),
});

/** A page of what a job refused. */
export const refusedQuery = (id: string, pageStart: number, pageSize: number) =>
  queryOf('get', '/api/messages/bulk/jobs/{id}/refused', { params: { path: { id }, query: { pageStart, pageSize } }, ...quiet });

/** Begins a job; it is looked at from then on. */
export function useStartJob() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: BulkJobRequest) => unwrap(api.POST('/api/messages/bulk/jobs', { body })),
    onSuccess: (job) => client.setQueryData(jobsQuery.queryKey, (known: BulkJob[] = []) => [job, ...known]),
  });
}

/** Stops a job; what it did stays done. */
export function useStopJob() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => unwrap(api.POST('/api/messages/bulk/jobs/{id}/stop', { params: { path: { id } } })),
    onSettled: () => refresh(client, '/api/messages/bulk/jobs'),
  });
}

/** The act that takes another back, if one does. */
export const OPPOSITES: Partial<Record<BulkAct, BulkAct>> = { process: 'reopen', delete: 'restore' };
