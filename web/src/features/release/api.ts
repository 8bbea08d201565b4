import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, quiet, rawFetch, unwrap } from '@/api/client';
import { type ApiPath, itemsOf, queryOf, refresh, refreshOnly, reshaped } from '@/api/query';
import type { Attachment, AttachmentMeta, Message, MessageInput, ReleasePage } from '@/api/types';
import { FRESH_REFERENCE_MS } from '@/app/queryClient';
import { queryClient } from '@/app/session';
import { refreshConversations } from '@/domain/conversations/api';
import { deleteMessage, messageKey, readsOfMessage, refreshIntake } from '@/domain/messaging/api';
import { madeName, saveFile } from '@/shared/saveFile';
import { GATHER_SIZE, gatherIds } from '@/shared/table/useSelection';

export type ReleaseListRequest = {
  pageStart: number;
  pageSize: number;
  cursor?: string;
  isDraft?: boolean;
  filter?: string;
  statuses?: string;
  orderBy?: string;
  orderDir?: 'asc' | 'desc';
  startDate?: string;
  endDate?: string;
};

export const releasesQuery = (request: ReleaseListRequest) =>
  queryOptions({
    ...queryOf('post', '/api/messages/_search', { body: request }),
    placeholderData: keepPreviousData,
    meta: { page: true },
  });

/** The progress of a message's faxes. */
export const faxesQuery = (id: string) => itemsOf(queryOf('get', '/api/messages/{id}/fax', { params: { path: { id } }, ...quiet }));

export async function sendFaxAgain(id: string, deliveryId: string) {
  const answer = await unwrap(api.POST('/api/messages/{id}/fax/{deliveryId}/again', { params: { path: { id, deliveryId } } }));
  queryClient.setQueryData(faxesQuery(id).queryKey, answer.items);
  await forgetReleaseLists();
}

export async function cancelFax(id: string, deliveryId: string) {
  const answer = await unwrap(api.POST('/api/messages/{id}/fax/{deliveryId}/cancel', { params: { path: { id, deliveryId } } }));
  queryClient.setQueryData(faxesQuery(id).queryKey, answer.items);
  await forgetReleaseLists();
}

/** The pages of a saved draft as fax recipients would get them. Fetched each time: the draft may have changed. */
export const faxPagesQuery = (id: string) =>
  queryOptions({
    queryKey: ['get', '/api/messages/{id}/fax/pages' satisfies ApiPath, { params: { path: { id } } }],
    queryFn: async () => (await rawFetch(`/api/messages/${id}/fax/pages`)).blob(),
    gcTime: 0,
    staleTime: 0,
    refetchOnWindowFocus: false,
    retry: false,
  });

/** The current rows of a page, fetched without the loading line. */
export const refetchReleases = (body: ReleaseListRequest): Promise<ReleasePage> =>
  queryOf('post', '/api/messages/_search', { body, ...quiet }).queryFn();

/** The current message, fetched without the loading indicator. */
export const refetchRelease = (id: string): Promise<Message> =>
  unwrap(api.GET('/api/messages/{id}', { params: { path: { id } }, ...quiet }));

/** Lists hold drafts and delivery counts: stale after every save, send and deletion. */
export const forgetReleaseLists = () => refreshOnly(queryClient, '/api/messages/_search');

/** Recent activity: a new entry after every save, send and deletion. */
const forgetEvents = () => refresh(queryClient, '/api/messages/events', '/api/events', '/api/users/{id}/events');

/** The screen that shows it is being left: nothing is fetched for it any more. */
export const forgetMessage = (id: string) => queryClient.invalidateQueries({ ...readsOfMessage(id), refetchType: 'none' });

/** The time of the last manual save of this draft in this tab. */
export const savedAtKey = (id: string) => ['savedAt', id] as const;

export async function saveDraft(id: string | null, body: MessageInput, background = false): Promise<Message> {
  const how = background ? quiet : {};
  const saved = await (id
    ? unwrap(api.PUT('/api/messages/{id}', { params: { path: { id } }, body, ...how }))
    : unwrap(api.PUT('/api/messages', { body, ...how })));
  queryClient.setQueryData(messageKey(saved.id), saved);
  await Promise.all([forgetReleaseLists(), forgetEvents()]);
  return saved;
}

export async function discardDraft(id: string) {
  const answer = await deleteMessage(id);
  await Promise.all([forgetReleaseLists(), forgetEvents(), forgetMessage(id)]);
  return answer;
}

export type SendAction = 'send' | 'forward' | 'reply';

/**
 * The key makes a repeated call after a lost answer the same message, never a second one. It is held back for a while, in which
 * it can be undone.
 */
export async function sendMessage(action: SendAction, id: string, body: MessageInput, idempotencyKey: string) {
  const options = { params: { path: { id } }, body: { ...body, isHeld: true }, headers: { 'Idempotency-Key': idempotencyKey } };
  const sent = await (action === 'send'
    ? unwrap(api.POST('/api/messages/{id}/send', options))
    : action === 'forward'
      ? unwrap(api.POST('/api/messages/{id}/forward', options))
      : unwrap(api.POST('/api/messages/{id}/reply', options)));
  await forgetMessage(id);
  // The original of a forward or reply changes its status.
  await Promise.all([forgetReleaseLists(), forgetEvents(), refreshIntake(queryClient)]);
  return sent;
}

/** Turns a message that was just sent back into a draft. */
export async function takeBack(id: string) {
  const draft = await unwrap(api.POST('/api/messages/{id}/takeback', { params: { path: { id } } }));
  queryClient.setQueryData(messageKey(id), draft);
  await Promise.all([forgetReleaseLists(), forgetEvents(), refreshIntake(queryClient)]);
}

/** Sends a draft as a referral that is followed until its result is back. */
export async function sendReferral(messageId: string, reason: string, dueDate: string | null, acceptsPatient: boolean) {
  await unwrap(api.POST('/api/conversations', { body: { messageId, reason, dueDate, acceptsPatient } }));
  await Promise.all([forgetMessage(messageId), forgetReleaseLists(), forgetEvents(), refreshConversations(queryClient)]);
}

export const copyAsDraft = (id: string) => unwrap(api.POST('/api/messages/{id}/copy', { params: { path: { id } } }));

export const updateAttachment = ({ id, messageId, attachmentMeta: before }: Attachment, attachmentMeta: AttachmentMeta) =>
  unwrap(
    api.PUT('/api/messages/{id}/attachments/{attachmentId}', {
      params: { path: { id: messageId, attachmentId: id } },
      body: { attachmentMeta, version: before?.version ?? 0 },
    }),
  );

export const removeAttachment = (id: string, aid: string) =>
  unwrap(api.DELETE('/api/messages/{id}/attachments/{attachmentId}', { params: { path: { id, attachmentId: aid } } }));

export const patientOfAttachment = (id: string, aid: string) =>
  unwrap(api.GET('/api/messages/{id}/attachments/{attachmentId}/patient', { params: { path: { id, attachmentId: aid } }, ...quiet }));

const reference = { staleTime: FRESH_REFERENCE_MS };

export const releaseTypesQuery = queryOptions({
  ...reshaped(queryOf('get', '/api/releasetypes'), (answer) => answer.releaseTypes),
  ...reference,
});
export const classificationsQuery = queryOptions({
  ...itemsOf(queryOf('get', '/api/messages/classifications')),
  ...reference,
});
/** Downloads the delivery summary of a sent message. */
export async function saveSummary(id: string) {
  const answer = await rawFetch(`/api/messages/${id}/deliverysummary`);
  saveFile(await answer.blob(), madeName('delivery-summary', 'pdf'));
}
export const sendSummaryToIntake = (id: string) =>
  unwrap(api.POST('/api/messages/{id}/deliverysummary/sendtointake', { params: { path: { id } } }));

export const capabilitiesQuery = queryOptions({
  ...queryOf('get', '/api/integrations/capabilities'),
  ...reference,
});

const ACTIVATED = 1;
/** Addresses and numbers the person may send from. Only activated ones can send. */
export const sourcesQuery = (userId: string) =>
  reshaped(queryOf('get', '/api/documentsources/release', { params: { query: { userId } } }), ({ items }) =>
    items.filter((s) => s.status === ACTIVATED),
  );

const SUGGESTIONS = 15;
export const findContacts = async (search: string) =>
  (await unwrap(api.POST('/api/contacts/_search', { body: { search, pageStart: 1, pageSize: SUGGESTIONS }, ...quiet }))).items;

export const addressChecksQuery = (addresses: string[]) =>
  queryOptions({
    ...itemsOf(queryOf('post', '/api/directory/validate', { body: { addresses }, ...quiet })),
    enabled: addresses.length > 0,
    placeholderData: keepPreviousData,
  });

/** Whether there is a certificate for Direct addresses, and which fax numbers the directory has for the others. */
export const lookAddressesUp = async (addresses: string[]) =>
  (await unwrap(api.POST('/api/directory/lookup', { body: { addresses } }))).items;

export const savedAddressesQuery = queryOf('get', '/api/directaddresscache');
/** Adds and removes addresses in the current list, which others may have changed. */
export async function saveAddresses(added: string[], removed: string[]): Promise<void> {
  const kept = await queryClient.fetchQuery({ ...savedAddressesQuery, staleTime: 0 });
  const addresses = [...new Set([...kept.addresses, ...added])].filter((a) => !removed.includes(a));
  const saved = await unwrap(api.PUT('/api/directaddresscache', { body: { addresses, version: kept.version } }));
  queryClient.setQueryData(savedAddressesQuery.queryKey, saved);
}

/** The ids of all that match, over all pages, up to a limit. */
export const idsOfReleases = ({ isDraft, filter, statuses, startDate, endDate }: ReleaseListRequest, limit: number) =>
  gatherIds(limit, (page, cursor) => {
    const body = { isDraft, filter, statuses, startDate, endDate, pageStart: cursor ? undefined : page, pageSize: GATHER_SIZE, cursor };
    return unwrap(api.POST('/api/messages/_search', { body }));
  });
