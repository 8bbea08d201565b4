import { queryOptions } from '@tanstack/react-query';
import { api, quiet, rawFetch, unwrap } from '@/api/client';
import type { Attachment, CdaOutline } from '@/api/types';

type Which = Pick<Attachment, 'id' | 'messageId'>;
const fileUrl = (a: Which) => `/api/messages/${a.messageId}/attachments/${a.id}`;
export const at = (a: Which) => ({ params: { path: { id: a.messageId, attachmentId: a.id } } });

const WAIT_MS = 500;
/** A rendition that is not there after so many answers "not yet" counts as timed out. */
const WAIT_LIMIT = 60;
export const TIMED_OUT = 'The request timed out. Please try again.';

/** Asks again, as the server says, while a rendition is being made. */
async function fetchReady(a: Which, accept: string, signal?: AbortSignal): Promise<Response> {
  for (let i = 0; i < WAIT_LIMIT; i++) {
    const response = await rawFetch(fileUrl(a), { headers: { Accept: accept }, signal, quiet: true });
    if (response.status !== 202) return response;
    await new Promise((done) => setTimeout(done, WAIT_MS));
  }
  throw new Error(TIMED_OUT);
}

const KEEP_MS = 5 * 60_000;

export const pdfQuery = (a: Which) =>
  queryOptions({
    queryKey: ['attachment', a.id, 'pdf'],
    queryFn: async ({ signal }) => (await fetchReady(a, 'application/pdf', signal)).blob(),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: KEEP_MS,
  });

/** The safe page of a clinical document. */
export const htmlQuery = (a: Which) =>
  queryOptions({
    queryKey: ['attachment', a.id, 'html'],
    queryFn: async ({ signal }) => (await fetchReady(a, 'text/html', signal)).text(),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: KEEP_MS,
  });

export const outlineQuery = (a: Which) =>
  queryOptions({
    queryKey: ['attachment', a.id, 'outline'],
    // The description leaves the outline open.
    queryFn: async () =>
      (await unwrap(api.GET('/api/messages/{id}/attachments/{attachmentId}/outline', { ...at(a), ...quiet }))) as CdaOutline,
    staleTime: Number.POSITIVE_INFINITY,
  });

export const fetchOriginal = async (a: Which) => (await rawFetch(fileUrl(a), { headers: { Accept: '*/*' } })).blob();
export const fetchPdf = async (a: Which) => (await fetchReady(a, 'application/pdf')).blob();

export const getMetadata = (a: Which) => unwrap(api.GET('/api/messages/{id}/attachments/{attachmentId}/metadata', { ...at(a), ...quiet }));
export const generatePreview = (a: Which) =>
  unwrap(api.PUT('/api/messages/{id}/attachments/{attachmentId}/generatePreview', { ...at(a), ...quiet }));
export const markAttachmentRead = (a: Which) =>
  unwrap(api.PUT('/api/messages/{id}/attachments/{attachmentId}/read', { ...at(a), ...quiet }));
