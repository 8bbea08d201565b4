import { queryOptions, type QueryClient } from '@tanstack/react-query';
import { ApiError, api, quiet, unwrap } from '@/api/client';
import { queryOf, refresh } from '@/api/query';
import type { AttachmentMeta, Conversation, ConversationAction, DifferingDocument, Patient } from '@/api/types';
import { now } from '@/shared/clock';
import { isoDate } from '@/shared/rules/dates';
import { fetchMessage } from '../messaging/api';
import { differencesOf } from '../messaging/patients/Differs';
import { uploadFile } from '../messaging/upload';

export const conversationQuery = (id: string) => queryOptions(queryOf('get', '/api/conversations/{id}', { params: { path: { id } } }));

export type Response = {
  action: ConversationAction;
  note: string;
  appointmentDate: string | null;
  document: File | null;
  acceptsPatient: boolean;
};

/** The document names another patient than the referral. */
export class PatientDiffers extends Error {
  readonly document: DifferingDocument;
  readonly chosen: Patient;
  constructor(document: DifferingDocument, chosen: Patient) {
    super('The document and the patient differ.');
    this.document = document;
    this.chosen = chosen;
  }
}

/** Metadata sent with a document that does not describe itself. */
const metaOf = ({ name }: File): AttachmentMeta =>
  /\.(xml|cda|ccd)$/i.test(name)
    ? {}
    : { documentType: 'Consultation note', documentDate: isoDate(now()), documentDateType: 'today', confidentiality: 'Normal' };

/** Sends the next step of a referral to the other side; a document is sent in its own draft. */
export async function respond(of: Conversation, { action, note, appointmentDate, document, acceptsPatient }: Response) {
  const draftId = document ? (await unwrap(api.PUT('/api/messages', { body: {} }))).id : undefined;
  try {
    if (draftId && document) await uploadFile({ messageId: draftId, file: document, meta: metaOf(document) });
    const body = {
      responseToMessageId: of.messageId,
      responseType: of.type,
      responseAction: action,
      note,
      appointmentDate: appointmentDate && new Date(appointmentDate).toISOString(),
      draftId,
      acceptsPatient,
    };
    return await unwrap(api.POST('/api/conversations/{id}/respond', { params: { path: { id: of.id } }, body }));
  } catch (error) {
    const differs = draftId && error instanceof ApiError && error.modelState.acceptsPatient;
    const seen = differs ? await differingOf(of, draftId).catch(() => null) : null;
    // Another attempt creates another draft. A sent one is no longer a draft, so it stays.
    if (draftId) await removeDraft(draftId).catch(() => {});
    throw seen ?? error;
  }
}

/** The patient named in a draft's document beside the patient of the referral. */
async function differingOf(of: Conversation, draftId: string) {
  const [draft, referral] = await Promise.all([fetchMessage(draftId), fetchMessage(of.messageId)]);
  const file = draft.attachments[0]!;
  const path = { id: draftId, attachmentId: file.id };
  const read = await unwrap(api.GET('/api/messages/{id}/attachments/{attachmentId}/patient/extract', { params: { path }, ...quiet }));
  const [patient, chosen] = [read.patient ?? {}, referral.patient ?? {}];
  const document = { attachmentId: file.id, fileName: file.fileName, patient, fields: differencesOf(patient, chosen) };
  return new PatientDiffers(document, chosen);
}

async function removeDraft(id: string) {
  const { isDraft } = await fetchMessage(id);
  if (isDraft) await unwrap(api.DELETE('/api/messages/{id}', { params: { path: { id } }, ...quiet }));
}

export const refreshConversations = (client: QueryClient) => refresh(client, '/api/conversations');
