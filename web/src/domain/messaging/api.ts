import { queryOptions, useQueryClient } from '@tanstack/react-query';
import { api, quiet, unwrap } from '@/api/client';
import type { Message } from '@/api/types';
import { FRESH_REFERENCE_MS } from '@/app/queryClient';
import { fetchReport } from '@/shared/reportFile';
import { type DateRange, endOfDay, startOfDay } from '@/shared/rules/dates';
import { REPORT_SIZE } from '@/shared/rules/events';
import { saveFile, timestampName } from '@/shared/saveFile';

/** Calls on one message that several screens make. */

export const messageKey = (id: string) => ['message', id] as const;

export const messageQuery = (id: string) =>
  queryOptions({
    queryKey: messageKey(id),
    queryFn: () => unwrap(api.GET('/api/messages/{id}', { params: { path: { id } } })),
    meta: { page: true },
  });

/** The current message, fetched without the loading indicator. */
export const fetchMessage = (id: string): Promise<Message> => unwrap(api.GET('/api/messages/{id}', { params: { path: { id } }, ...quiet }));

export const assignableQuery = queryOptions({
  queryKey: ['reference', 'assignable'],
  queryFn: async () => (await unwrap(api.GET('/api/users/assignable', quiet))).items,
});

export const documentTypesQuery = queryOptions({
  queryKey: ['all', '/api/documenttypes'],
  queryFn: async () =>
    (await unwrap(api.GET('/api/documenttypes', { params: { query: { sort: 'asc', page: 1, size: 1000 } }, ...quiet }))).items,
  staleTime: FRESH_REFERENCE_MS,
});

export const interoperabilityQuery = queryOptions({
  queryKey: ['reference', 'interoperability'],
  queryFn: () => unwrap(api.GET('/api/settings/interoperability', quiet)),
  staleTime: FRESH_REFERENCE_MS,
});

const at = (id: string) => ({ params: { path: { id } } });

type Processing = { processType?: string | null /** The user confirmed processing without a patient or type. */; acceptsGaps?: boolean };
export const processMessage = (id: string, isProcessed: boolean, { processType, acceptsGaps }: Processing = {}) =>
  unwrap(api.PUT('/api/messages/{id}/process', { ...at(id), body: { isProcessed, processType, acceptsGaps } }));
export const assignMessage = (id: string, userId: string | null, urgent?: boolean) =>
  unwrap(api.PUT('/api/messages/{id}/assign', { ...at(id), body: { userId, urgent } }));
export const readMessage = (id: string) => unwrap(api.PUT('/api/messages/{id}/read', { ...at(id), ...quiet }));
export const deleteMessage = (id: string) => unwrap(api.DELETE('/api/messages/{id}', at(id)));

/** Saves what happened on some days; answers how many events that are, or nothing when it failed. */
export async function saveActivityReport(days: DateRange, eventTypes: string[]): Promise<number | null> {
  const query = new URLSearchParams({
    start: startOfDay(days.start),
    end: endOfDay(days.end),
    eventTypes: eventTypes.join(','),
    pageSize: String(REPORT_SIZE),
  });
  const file = await fetchReport(`/api/messages/eventsreport?${query}`);
  if (!file) return null;
  saveFile(file, timestampName('csv'));
  // Without the heads and what stands behind the last line.
  return (await file.text()).split('\r\n').length - 2;
}

/** What happened in the last 14 days, the newest first. */
export const recentEventsQuery = queryOptions({
  queryKey: ['intake', 'events'],
  queryFn: async () => (await unwrap(api.GET('/api/messages/events', { params: { query: { pageSize: 30 } }, ...quiet }))).items,
});

/** Puts a changed message where the screens find it, and lets the lists ask again. */
export function useMessageChanged() {
  const client = useQueryClient();
  return (message: Message) => {
    client.setQueryData(messageKey(message.id), (old: Message | undefined) => ({ ...old, ...message }));
    void client.invalidateQueries({ queryKey: ['intake'] });
  };
}

/** The organization's own addresses and fax numbers. */
export const ownAddressesQuery = queryOptions({
  queryKey: ['reference', 'ownAddresses'],
  queryFn: async () => (await unwrap(api.GET('/api/documentsources/release', quiet))).items,
});
