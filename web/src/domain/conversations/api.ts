import { queryOptions, type QueryClient } from '@tanstack/react-query';
import { api, quiet, unwrap } from '@/api/client';
import { $api, refresh } from '@/api/query';
import type { Conversation, ConversationAction } from '@/api/types';
import { fetchMessage } from '../messaging/api';
import { uploadFile } from '../messaging/upload';

export const conversationQuery = (id: string) =>
  queryOptions($api.queryOptions('get', '/api/conversations/{id}', { params: { path: { id } } }));

export type Response = { action: ConversationAction; note: string; appointmentDate: string | null; document: File | null };

/** Tells the other side how the referral goes on; a document goes along in a draft of its own. */
export async function respond(of: Conversation, { action, note, appointmentDate, document }: Response) {
  const draftId = document ? (await unwrap(api.PUT('/api/messages', { body: {} }))).id : undefined;
  try {
    if (draftId && document) await uploadFile({ messageId: draftId, file: document, meta: {} });
    const body = {
      responseToMessageId: of.messageId,
      responseType: of.type,
      responseAction: action,
      note,
      appointmentDate: appointmentDate && new Date(appointmentDate).toISOString(),
      draftId,
    };
    return await unwrap(api.POST('/api/conversations/{id}/respond', { params: { path: { id: of.id } }, body }));
  } catch (error) {
    // Another attempt makes another draft. One that was sent is none any more: it stays.
    if (draftId) await removeDraft(draftId).catch(() => {});
    throw error;
  }
}

async function removeDraft(id: string) {
  const { isDraft } = await fetchMessage(id);
  if (isDraft) await unwrap(api.DELETE('/api/messages/{id}', { params: { path: { id } }, ...quiet }));
}

export const refreshConversations = (client: QueryClient) => refresh(client, '/api/conversations');
