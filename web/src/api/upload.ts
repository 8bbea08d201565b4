import { authorization } from './client';

export class UploadCancelled extends Error {}

export type UploadAnswer = { status: number; retryAfter: boolean; body: unknown };

/** Sends a form with a file. Unlike fetch, XMLHttpRequest reports the progress of an upload. */
export async function sendForm(
  path: string,
  form: FormData,
  onProgress: (share: number) => void,
  signal: AbortSignal,
): Promise<UploadAnswer> {
  const shown = await authorization();
  if (signal.aborted) throw new UploadCancelled();
  return new Promise((resolve, reject) => {
    const xhr = new XMLHttpRequest();
    xhr.open('POST', path);
    xhr.setRequestHeader('Authorization', shown);
    xhr.setRequestHeader('Accept', 'application/json');
    xhr.upload.onprogress = (e) => e.lengthComputable && onProgress(e.loaded / e.total);
    xhr.onload = () =>
      resolve({ status: xhr.status, retryAfter: xhr.getResponseHeader('Retry-After') !== null, body: readJson(xhr.responseText) });
    xhr.onerror = () => reject(new Error('The connection was lost.'));
    xhr.onabort = () => reject(new UploadCancelled());
    signal.addEventListener('abort', () => xhr.abort());
    xhr.send(form);
  });
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
