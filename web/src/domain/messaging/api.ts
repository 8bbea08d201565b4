import { type QueryClient, queryOptions, useQueryClient } from '@tanstack/react-query';
import { api, quiet, unwrap } from '@/api/client';
import { type ApiPath, itemsOf, queryOf, readsOf, refreshOnly } from '@/api/query';
import type { Attachment, ExportForm, Message } from '@/api/types';
import { FRESH_REFERENCE_MS } from '@/app/queryClient';
import { fetchReport } from '@/shared/reportFile';
import { type DateRange, endOfDay, startOfDay } from '@/shared/rules/dates';
import { REPORT_SIZE } from '@/shared/rules/events';
import { madeName, saveFile } from '@/shared/saveFile';

/** Calls on one message that several screens make. */

const at = (id: string) => ({ params: { path: { id } } });

export const messageQuery = (id: string) => queryOptions({ ...queryOf('get', '/api/messages/{id}', at(id)), meta: { page: true } });
export const messageKey = (id: string): readonly unknown[] => messageQuery(id).queryKey;

const MESSAGE: readonly ApiPath[] = [
  '/api/messages/{id}',
  '/api/messages/{id}/chart',
  '/api/messages/{id}/duplicates',
  '/api/messages/{id}/fax',
  '/api/messages/{id}/fax/pages',
  '/api/messages/{id}/patient/differences',
  '/api/messages/{id}/proposals',
];
/** A message and its derived data. */
export const readsOfMessage = (id: string) => readsOf(MESSAGE, { id });
export const refreshMessage = (client: QueryClient, id: string) => client.invalidateQueries(readsOfMessage(id));
/** The audit trail of a message. */
export const refreshActivity = (client: QueryClient, id: string) =>
  client.invalidateQueries(readsOf(['/api/audit/{type}/{id}'], { type: 'message', id }));
/** The Intake: its lists, its counts, and recent activity. */
export const refreshIntake = (client: QueryClient) =>
  refreshOnly(client, '/api/intake', '/api/messages', '/api/intake/counts', '/api/messages/events', '/api/events');
/** Releases: their lists, their counts, and undelivered messages. */
export const refreshReleases = (client: QueryClient) =>
  refreshOnly(client, '/api/messages/_search', '/api/messages', '/api/failedmessages');

/** The current message, fetched without the loading indicator. */
export const fetchMessage = (id: string): Promise<Message> => unwrap(api.GET('/api/messages/{id}', { params: { path: { id } }, ...quiet }));

export const assignableQuery = itemsOf(queryOf('get', '/api/users/assignable', quiet));

export const documentTypesQuery = queryOptions({
  ...itemsOf(queryOf('get', '/api/documenttypes', { params: { query: { sort: 'asc', page: 1, size: 1000 } }, ...quiet })),
  staleTime: FRESH_REFERENCE_MS,
});

export const interoperabilityQuery = queryOptions({
  ...queryOf('get', '/api/settings/interoperability', quiet),
  staleTime: FRESH_REFERENCE_MS,
});

type Processing = {
  processType?: ExportForm | null;
  /** The user confirmed processing without a patient or type. */
  acceptsGaps?: boolean;
  acceptsPatient?: boolean;
  /** Even if a colleague has the message open. */
  takesOver?: boolean;
};
export const processMessage = (
  id: string,
  isProcessed: boolean,
  { processType, acceptsGaps, acceptsPatient, takesOver }: Processing = {},
) =>
  // Sent at once: it continues when the page is left before the answer.
  unwrap(
    api.PUT('/api/messages/{id}/process', {
      ...at(id),
      body: { isProcessed, processType, acceptsGaps, acceptsPatient, takesOver },
      keepalive: true,
    }),
  );
const differingOf = (id: string) => itemsOf(queryOf('get', '/api/messages/{id}/patient/differences', { ...at(id), ...quiet }));
/** The documents of a message that name another patient than the message, among those already read. */
export const differingDocuments = (id: string) => differingOf(id).queryFn();
/** The same for a dialog, fetched each time. Without an answer there is no hint: the server refuses anyway. */
export const differingQuery = (id: string) =>
  queryOptions({
    ...differingOf(id),
    queryFn: () => differingDocuments(id).catch(() => []),
    gcTime: 0,
  });
export const assignMessage = (id: string, userId: string | null, urgent?: boolean) =>
  unwrap(api.PUT('/api/messages/{id}/assign', { ...at(id), body: { userId, urgent } }));
export const readMessage = (id: string) => unwrap(api.PUT('/api/messages/{id}/read', { ...at(id), ...quiet }));
export const deleteMessage = (id: string) => unwrap(api.DELETE('/api/messages/{id}', at(id)));

/** Messages of one call. */
const AT_ONCE = 100;
/** Restores deleted messages. Answers the reasons why some stay deleted. */
export async function restoreMessages(ids: string[]): Promise<string[]> {
  const reasons = new Set<string>();
  for (let from = 0; from < ids.length; from += AT_ONCE) {
    const body = { act: 'restore' as const, ids: ids.slice(from, from + AT_ONCE) };
    const { refused } = await unwrap(api.POST('/api/messages/bulk', { body }));
    for (const reason of refused.flatMap((r) => r.reasons)) reasons.add(reason);
  }
  return [...reasons];
}

/** Saves the events of a period; answers their number, or nothing on failure. */
export async function saveActivityReport(days: DateRange, eventTypes: string[], asPdf = false): Promise<number | null> {
  const query = new URLSearchParams({
    start: startOfDay(days.start),
    end: endOfDay(days.end),
    eventTypes: eventTypes.join(','),
    pageSize: String(REPORT_SIZE),
  });
  if (asPdf) query.set('asPdf', 'true');
  const file = await fetchReport(`/api/messages/eventsreport?${query}`);
  if (!file) return null;
  saveFile(file, madeName('activity', asPdf ? 'pdf' : 'csv'));
  // A PDF states itself whether there is more.
  if (asPdf) return 0;
  // Without the header and the end of the last line.
  return (await file.text()).split('\r\n').length - 2;
}

/** The events of the last 14 days, newest first. */
export const recentEventsQuery = itemsOf(queryOf('get', '/api/messages/events', { params: { query: { pageSize: 30 } }, ...quiet }));

/** Puts a changed message in the cache and invalidates the lists. */
export function useMessageChanged() {
  const client = useQueryClient();
  return (message: Message) => {
    client.setQueryData(messageKey(message.id), (old: Message | undefined) => ({ ...old, ...message }));
    void refreshIntake(client);
    void refreshActivity(client, message.id);
  };
}

/** Puts a changed file in the cache. */
export function useAttachmentChanged() {
  const client = useQueryClient();
  return (file: Attachment) =>
    client.setQueryData(
      messageKey(file.messageId),
      (m: Message | undefined) => m && { ...m, attachments: m.attachments.map((a) => (a.id === file.id ? { ...a, ...file } : a)) },
    );
}

/** The organization's own addresses and fax numbers. */
export const ownAddressesQuery = itemsOf(queryOf('get', '/api/documentsources/release', quiet));
