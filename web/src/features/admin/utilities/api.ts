import { queryOptions } from '@tanstack/react-query';
import { api, quiet, unwrap } from '@/api/client';
import { itemsOf, queryOf, refresh } from '@/api/query';
import type { RetryType, WorkflowRetry, WorkflowRetryInput } from '@/api/types';
import { queryClient } from '@/app/session';

const RETRIES = '/api/workflows/retries';
const FAILURES = '/api/workflows/failures';
/** While a retry is running. */
const POLL_MS = 1_000;

export const lookUp = async (id: string) => (await unwrap(api.GET('/api/utilities', { params: { query: { id } } }))).items;
export const decodeMessages = async (objectIds: string[]) =>
  (await unwrap(api.POST('/api/utilities/mailmessages/objectids', { body: { objectIds } }))).items;
export const decodeObjects = async (ids: string[]) => (await unwrap(api.POST('/api/utilities/objectids', { body: ids }))).items;

export const failuresQuery = (type: RetryType) => queryOf('get', FAILURES, { params: { query: { type } } });

const isRunning = (retry: WorkflowRetry) => retry.status === 'Running';
export const retriesQuery = queryOptions({
  ...itemsOf(queryOf('get', RETRIES, quiet)),
  refetchInterval: ({ state }) => (state.data?.some(isRunning) ? POLL_MS : false),
});

export const countRetry = async (body: WorkflowRetryInput) => (await unwrap(api.POST('/api/workflows/retry/count', { body }))).steps;
export async function startRetry(body: WorkflowRetryInput) {
  await unwrap(api.POST('/api/workflows/retry', { body }));
  await refresh(queryClient, RETRIES, FAILURES);
}
export async function stopRetry(id: string) {
  await unwrap(api.POST('/api/workflows/retries/{id}/stop', { params: { path: { id } } }));
  await refresh(queryClient, RETRIES, FAILURES);
}
