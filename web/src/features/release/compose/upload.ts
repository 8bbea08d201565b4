import { ApiError } from '@/api/client';
import { freshToken } from '@/api/token';
import type { Attachment, AttachmentMeta, ProblemDetails } from '@/api/types';

/** The server asked to come back. */
export const RETRY_AFTER_MS = 500;
const SENDS = 3;
export const TRANSFORM_POLL_MS = 5000;
const TRANSFORM_LIMIT_MS = 20_000;
export const TIMED_OUT = 'The request timed out. Please try again.';

export class UploadCancelled extends Error {}

type Answer = { status: number; retryAfter: boolean; body: unknown };
type Send = (onProgress: (share: number) => void, signal: AbortSignal) => Promise<Answer>;

/** fetch tells nothing about how far an upload is, XMLHttpRequest does. */
const xhrSend =
  (messageId: string, file: File, meta: AttachmentMeta): Send =>
  async (onProgress, signal) => {
    const token = await freshToken();
    if (signal.aborted) throw new UploadCancelled();
    return new Promise((resolve, reject) => {
      const xhr = new XMLHttpRequest();
      xhr.open('POST', `/api/messages/${messageId}/attachments`);
      xhr.setRequestHeader('Authorization', `Bearer ${token}`);
      xhr.setRequestHeader('Accept', 'application/json');
      xhr.upload.onprogress = (e) => e.lengthComputable && onProgress(e.loaded / e.total);
      xhr.onload = () =>
        resolve({ status: xhr.status, retryAfter: xhr.getResponseHeader('Retry-After') !== null, body: readJson(xhr.responseText) });
      xhr.onerror = () => reject(new Error('The connection was lost.'));
      xhr.onabort = () => reject(new UploadCancelled());
      signal.addEventListener('abort', () => xhr.abort());
      const form = new FormData();
      form.append('attachmentMeta', JSON.stringify(meta));
      form.append('convert', 'true');
      form.append('usePriorityQueue', 'true');
      form.append('file', file, file.name);
      xhr.send(form);
    });
  };

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

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
