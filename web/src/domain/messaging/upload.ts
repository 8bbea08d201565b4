import { ApiError } from '@/api/client';
import type { Attachment, AttachmentMeta, ProblemDetails } from '@/api/types';
import { sendForm, type UploadAnswer, UploadCancelled } from '@/api/upload';
import { getMetadata, type ReadFile, whenSettled } from './viewer/api';

/** The server asked to come back. */
export const RETRY_AFTER_MS = 500;
const SENDS = 3;

type Send = (onProgress: (share: number) => void, signal: AbortSignal) => Promise<UploadAnswer>;

const xhrSend =
  (messageId: string, file: File, meta: AttachmentMeta): Send =>
  (onProgress, signal) => {
    const form = new FormData();
    form.append('attachmentMeta', JSON.stringify({ ...meta, convert: true, usePriorityQueue: true }));
    form.append('file', file, file.name);
    return sendForm(`/api/messages/${messageId}/attachments`, form, onProgress, signal);
  };

const waited = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

type Parts = {
  messageId: string;
  file: File;
  meta: AttachmentMeta;
  onProgress?: (share: number) => void;
  signal?: AbortSignal;
};
type Outside = {
  send?: Send;
  wait?: (ms: number) => Promise<void>;
  /** The current attachment. */
  fetchAttachment?: ReadFile;
};

/**
 * Uploads one file to a message, for all screens. A busy server makes the call repeat; while the file is processed, the
 * attachment is fetched until it is ready.
 */
export async function uploadFile(
  { messageId, file, meta, onProgress = () => {}, signal = new AbortController().signal }: Parts,
  { send = xhrSend(messageId, file, meta), wait = waited, fetchAttachment = getMetadata }: Outside = {},
): Promise<Attachment> {
  for (let attempt = 1; ; attempt++) {
    const answer = await send(onProgress, signal);
    const ok = answer.status >= 200 && answer.status < 300;
    if (!ok && answer.retryAfter && attempt < SENDS) {
      await wait(RETRY_AFTER_MS);
      if (signal.aborted) throw new UploadCancelled();
      continue;
    }
    if (!ok) throw new ApiError(answer.status, (answer.body ?? {}) as ProblemDetails);
    const attachment = answer.body as Attachment;
    if (!answer.retryAfter && !isPending(attachment)) return attachment;
    if (answer.retryAfter) {
      await wait(RETRY_AFTER_MS);
      const latest = await fetchAttachment(attachment);
      if (!isPending(latest)) return latest;
    }
    return whenSettled(attachment, fetchAttachment, isPending);
  }
}

const isPending = (a: Attachment) => a.transformStatus === 'Pending';
