import { ApiError } from '@/api/client';
import type { Attachment, AttachmentMeta, ProblemDetails } from '@/api/types';
import { sendForm, type UploadAnswer, UploadCancelled } from '@/api/upload';

/** The server asked to come back. */
export const RETRY_AFTER_MS = 500;
const SENDS = 3;
export const TRANSFORM_POLL_MS = 5000;
const TRANSFORM_LIMIT_MS = 20_000;
export const TIMED_OUT = 'The request timed out. Please try again.';

type Send = (onProgress: (share: number) => void, signal: AbortSignal) => Promise<UploadAnswer>;

const xhrSend =
  (messageId: string, file: File, meta: AttachmentMeta): Send =>
  (onProgress, signal) => {
    const form = new FormData();
    form.append('attachmentMeta', JSON.stringify(meta));
    form.append('convert', 'true');
    form.append('usePriorityQueue', 'true');
    form.append('file', file, file.name);
    return sendForm(`/api/messages/${messageId}/attachments`, form, onProgress, signal);
  };

const waited = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

type Parts = {
  messageId: string;
  file: File;
  meta: AttachmentMeta;
  onProgress: (share: number) => void;
  signal: AbortSignal;
  /** The attachment as it is now. */
  fetchAttachment: (id: string) => Promise<Attachment>;
};
type Outside = { send?: Send; wait?: (ms: number) => Promise<void> };

/** Uploads one file. Where the server is busy the call is repeated; where it is still at work on the file, the attachment is fetched until it is ready. */
export async function uploadFile(
  { messageId, file, meta, onProgress, signal, fetchAttachment }: Parts,
  { send = xhrSend(messageId, file, meta), wait = waited }: Outside = {},
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
    if (!answer.retryAfter && attachment.transformStatus !== 'Pending') return attachment;
    return settled(attachment, { fetchAttachment, wait, firstAfter: answer.retryAfter ? RETRY_AFTER_MS : TRANSFORM_POLL_MS });
  }
}

async function settled(
  attachment: Attachment,
  {
    fetchAttachment,
    wait,
    firstAfter,
  }: { fetchAttachment: Parts['fetchAttachment']; wait: (ms: number) => Promise<void>; firstAfter: number },
): Promise<Attachment> {
  let latest = attachment;
  for (let spent = 0, next = firstAfter; spent < TRANSFORM_LIMIT_MS; spent += next, next = TRANSFORM_POLL_MS) {
    await wait(next);
    latest = await fetchAttachment(attachment.id);
    if (latest.transformStatus !== 'Pending') return latest;
  }
  throw new Error(TIMED_OUT);
}
