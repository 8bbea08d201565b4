import type { RefObject } from 'react';
import { ApiError } from '@/api/client';
import { UploadCancelled } from '@/api/upload';
import { uploadFile } from '@/domain/messaging/upload';
import { removeAttachment, saveDraft, sendMessage } from '../api';
import { newKey } from '../compose/model';

export type NonPhiValues = {
  toAddress: string;
  subject: string;
  fromAddress: string;
  attachments: File | null;
  confirmedFaxNumbers: boolean;
};
export const EMPTY: NonPhiValues = { toAddress: '', subject: '', fromAddress: '', attachments: null, confirmedFaxNumbers: false };

/** The state stored by an attempt that failed. */
export type NonPhiDraft = { id: string; file: File | null; fileId: string | null; key: string };

const NON_PHI_TEXTS = {
  to: '"To fax number" is required.',
  subject: '"Subject" is required.',
  from: '"From fax number" is required.',
  file: 'Missing file attachment.',
  notAttached: 'Unable to attach document.',
} as const;

/** Missing values, by field. */
export const errorsOf = (values: NonPhiValues) => ({
  toAddress: values.toAddress.trim() ? null : NON_PHI_TEXTS.to,
  subject: values.subject.trim() ? null : NON_PHI_TEXTS.subject,
  fromAddress: values.fromAddress ? null : NON_PHI_TEXTS.from,
  attachments: values.attachments ? null : NON_PHI_TEXTS.file,
});

/** Saves, attaches and sends. The next attempt reuses the stored state, so that a file is uploaded once. */
export async function sendNonPhi(values: NonPhiValues, draft: RefObject<NonPhiDraft | null>) {
  const { toAddress, subject, fromAddress } = values;
  const body = { isNonPatient: true, toAddresses: [toAddress], subject, fromAddress };
  const { id } = await saveDraft(draft.current?.id ?? null, body);
  draft.current ??= { id, file: null, fileId: null, key: newKey() };
  await attach(draft.current, values.attachments!);
  const answer = await sendMessage('send', id, { confirmedFaxNumbers: values.confirmedFaxNumbers ? [toAddress] : [] }, draft.current.key);
  draft.current = null;
  return answer;
}

async function attach(draft: NonPhiDraft, file: File) {
  if (draft.file === file) return;
  try {
    if (draft.fileId) await removeAttachment(draft.id, draft.fileId);
    Object.assign(draft, { file: null, fileId: null });
    const attached = await uploadFile({ messageId: draft.id, file, meta: {} });
    Object.assign(draft, { file, fileId: attached.id });
  } catch (error) {
    if (error instanceof ApiError && (error.isRevoked || error.isAddressRefused)) throw error;
    if (error instanceof UploadCancelled) throw error;
    throw new ApiError(422, { modelState: { attachments: [NON_PHI_TEXTS.notAttached] } });
  }
}
