import { type QueryClient, queryOptions, useQueryClient } from '@tanstack/react-query';
import { api, quiet, unwrap } from '@/api/client';
import { type ApiPath, itemsOf, queryOf, readsOf, refreshOnly } from '@/api/query';
import type { Attachment, Message } from '@/api/types';
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
  '/api/messages/{id}/duplicates',
  '/api/messages/{id}/fax',
  '/api/messages/{id}/fax/pages',
  '/api/messages/{id}/patient/differences',
  '/api/messages/{id}/proposals',
];
/** A message, and what is found out about it. */
export const readsOfMessage = (id: string) => readsOf(MESSAGE, { id });
export const refreshMessage = (client: QueryClient, id: string) => client.invalidateQueries(readsOfMessage(id));
/** Who did what with a message. */
export const refreshActivity = (client: QueryClient, id: string) =>
  client.invalidateQueries(readsOf(['/api/audit/{type}/{id}'], { type: 'message', id }));
/** The Intake: its lists, its counts, and what people did lately. */
export const refreshIntake = (client: QueryClient) =>
  refreshOnly(client, '/api/intake', '/api/messages', '/api/intake/counts', '/api/messages/events', '/api/events');
/** Releases: their lists, their counts, and what did not arrive. */
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
  processType?: string | null;
  /** The user confirmed processing without a patient or type. */
  acceptsGaps?: boolean;
  acceptsPatient?: boolean;
  /** Though a colleague has the message open. */
  takesOver?: boolean;
};
export const processMessage = (
  id: string,
  isProcessed: boolean,
  { processType, acceptsGaps, acceptsPatient, takesOver }: Processing = {},
) =>
  // Told at once: it goes on when the page is left before the answer.
  unwrap(
    api.PUT('/api/messages/{id}/process', {
      ...at(id),
      body: { isProcessed, processType, acceptsGaps, acceptsPatient, takesOver },
      keepalive: true,
    }),
  );
/** The documents of a message that name another patient than the message does, as far as they were read. */
export const differingDocuments = async (id: string) =>
  (await unwrap(api.GET('/api/messages/{id}/patient/differences', { ...at(id), ...quiet }))).items;
/** The same for a dialog, read anew each time. A hint that cannot be had is none: the server refuses by itself. */
export const differingQuery = (id: string) =>
  queryOptions({
    ...itemsOf(queryOf('get', '/api/messages/{id}/patient/differences', at(id))),
    queryFn: () => differingDocuments(id).catch(() => []),
    gcTime: 0,
  });
export const assignMessage = (id: string, userId: string | null, urgent?: boolean) =>
  unwrap(api.PUT('/api/messages/{id}/assign', { ...at(id), body: { userId, urgent } }));
export const readMessage = (id: string) => unwrap(api.PUT('/api/messages/{id}/read', { ...at(id), ...quiet }));
export const deleteMessage = (id: string) => unwrap(api.DELETE('/api/messages/{id}', at(id)));

/** Messages of one call. */
const AT_ONCE = 100;
/** Brings deleted messages back. Answers the reasons why some stay deleted. */
export async function restoreMessages(ids: string[]): Promise<string[]> {
  const reasons = new Set<string>();
  for (let from = 0; from < ids.length; from += AT_ONCE) {
    const body = { act: 'restore' as const, ids: ids.slice(from, from + AT_ONCE) };
    const { refused } = await unwrap(api.POST('/api/messages/bulk', { body }));
    for (const reason of refused.flatMap((r) => r.reasons)) reasons.add(reason);
  }
  return [...reasons];
}

/** Saves what happened on some days; answers how many events that are, or nothing when it failed. */
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
  // A document says itself whether there is more.
  if (asPdf) return 0;
  // Without the heads and what stands behind the last line.
  return (await file.text()).split('\r\n').length - 2;
}

/** What happened in the last 14 days, the newest first. */
export const recentEventsQuery = itemsOf(queryOf('get', '/api/messages/events', { params: { query: { pageSize: 30 } }, ...quiet }));

/** Puts a changed message where the screens find it, and lets the lists ask again. */
export function useMessageChanged() {
  const client = useQueryClient();
  return (message: Message) => {
    client.setQueryData(messageKey(message.id), (old: Message | undefined) => ({ ...old, ...message }));
    void refreshIntake(client);
    void refreshActivity(client, message.id);
  };
}

/** Puts a changed file where the screens find it. */
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
