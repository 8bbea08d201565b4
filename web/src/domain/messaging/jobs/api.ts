import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { api, quiet, unwrap } from '@/api/client';
import { itemsOf, queryOf, refresh } from '@/api/query';
import type { BulkAct, BulkJob, BulkJobRequest } from '@/api/types';

const LOOK_EVERY_MS = 1000;

/** Bulk jobs of the signed-in person, newest first. Polled while one runs. */
export const jobsQuery = queryOptions({
  ...itemsOf(queryOf('get', '/api/messages/bulk/jobs', quiet)),
  refetchInterval: ({ state }) => (state.data?.some((job) => job.state === 'Running') ? LOOK_EVERY_MS : false),
});

/** A page of the messages refused by a job. */
export const refusedQuery = (id: string, pageStart: number, pageSize: number) =>
  queryOf('get', '/api/messages/bulk/jobs/{id}/refused', { params: { path: { id }, query: { pageStart, pageSize } }, ...quiet });

/** Starts a job and its polling. */
export function useStartJob() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: BulkJobRequest) => unwrap(api.POST('/api/messages/bulk/jobs', { body })),
    onSuccess: (job) => client.setQueryData(jobsQuery.queryKey, (known: BulkJob[] = []) => [job, ...known]),
  });
}

/** Stops a job; its changes so far stay. */
export function useStopJob() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => unwrap(api.POST('/api/messages/bulk/jobs/{id}/stop', { params: { path: { id } } })),
    onSettled: () => refresh(client, '/api/messages/bulk/jobs'),
  });
}

/** The act that undoes another, if there is one. */
export const OPPOSITES: Partial<Record<BulkAct, BulkAct>> = { process: 'reopen', delete: 'restore' };
