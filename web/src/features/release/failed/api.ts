import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { api, quiet, unwrap } from '@/api/client';
import { queryOf, refreshOnly } from '@/api/query';
import type { FailedMessage } from '@/api/types';
import { queryClient } from '@/app/session';
import { forgetMessage, forgetReleaseLists, lookAddressesUp } from '../api';

type FailedRequest = { view?: 'waiting' | 'failed'; pageStart: number; pageSize: number };

/** Messages still sending, or undelivered and not acknowledged. */
export const failedQuery = (request: FailedRequest) =>
  queryOptions({
    ...queryOf('get', '/api/failedmessages', { params: { query: request }, ...quiet }),
    placeholderData: keepPreviousData,
  });

/** Documents that could not be filed, sent or taken back, or wait for long. */
export const failedChartsQuery = (request: FailedRequest) =>
  queryOptions({
    ...queryOf('get', '/api/failedmessages/charts', { params: { query: request }, ...quiet }),
    placeholderData: keepPreviousData,
  });

const FIRST = { view: 'failed', pageStart: 1, pageSize: 1 } as const;

/** The numbers of messages that were not delivered, and of documents to check in their charts. */
export function useFailedCount() {
  const messages = useQuery(failedQuery(FIRST));
  const charts = useQuery(failedChartsQuery(FIRST));
  const data = messages.data && charts.data && { messages: messages.data.totalCount, charts: charts.data.totalCount };
  return {
    data,
    isError: messages.isError || charts.isError,
    refetch: () => Promise.all([messages.refetch(), charts.refetch()]),
  };
}

export const refreshFailed = () => refreshOnly(queryClient, '/api/failedmessages', '/api/failedmessages/charts');

const at = (id: string) => ({ params: { path: { id } } });

export async function sendNow({ id, messageId }: Pick<FailedMessage, 'id' | 'messageId'>) {
  await unwrap(api.POST('/api/failedmessages/{id}/sendnow', at(id)));
  await Promise.all([refreshFailed(), forgetReleaseLists(), forgetMessage(messageId)]);
}

export async function acknowledge(id: string) {
  await unwrap(api.PUT('/api/failedmessages/{id}/acknowledge', at(id)));
  await refreshFailed();
}

/** Acknowledges the failures up to the time of the list. */
export async function acknowledgeAll(readAt: number) {
  const until = new Date(readAt).toISOString();
  const { acknowledged } = await unwrap(api.POST('/api/failedmessages/acknowledgeall', { body: { until } }));
  await refreshFailed();
  return acknowledged;
}

/** The fax number in the directory of a Direct address's owner. */
export const faxNumberOf = async ({ address }: Pick<FailedMessage, 'address'>) => (await lookAddressesUp([address]))[0]?.faxNumber ?? null;

/** Creates a draft of the same message for another recipient; sending it resolves the failure. Answers its id. */
export async function draftFor({ id }: Pick<FailedMessage, 'id'>, to: string | null) {
  const draft = await unwrap(api.POST('/api/failedmessages/{id}/draft', { ...at(id), body: { to } }));
  await forgetReleaseLists();
  return draft.id;
}
