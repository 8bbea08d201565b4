import { api, quiet, unwrap } from '@/api/client';
import { ApiError } from '@/api/error';
import { itemsOf, queryOf } from '@/api/query';
import type { ProblemDetails } from '@/api/types';
import { sendForm } from '@/api/upload';

/** The batches of uploaded files that wait for their pages to be sorted. */

export const batchesQuery = itemsOf(queryOf('get', '/api/triage', quiet));

export const createBatch = () => unwrap(api.POST('/api/triage', {}));
export const discardBatch = (id: string) => unwrap(api.DELETE('/api/triage/{id}', { params: { path: { id } } }));

/** Adds a file to a batch; throws the server's refusal. */
export async function addFile(batch: string, file: File, onProgress: (share: number) => void, signal: AbortSignal) {
  const form = new FormData();
  form.append('file', file);
  const { status, body } = await sendForm(`/api/triage/${batch}/files`, form, onProgress, signal);
  if (status >= 400) throw new ApiError(status, (body ?? {}) as ProblemDetails);
}

export type Upload = { file: File; share: number; problem?: string; isDone?: boolean };

/** The message of an error about one file. */
export const problemOf = (error: unknown) =>
  error instanceof ApiError ? (error.messages[0] ?? error.message) : 'The connection was lost. Please try again.';
