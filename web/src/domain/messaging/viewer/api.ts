import { queryOptions } from '@tanstack/react-query';
import { api, quiet, rawFetch, unwrap } from '@/api/client';
import type { Attachment, CachedDocument, CdaOutline } from '@/api/types';
import { connectHub } from '@/shared/hubs';

type Which = Pick<Attachment, 'id' | 'messageId'>;
/** The current state of a file. */
export type ReadFile = (a: Which) => Promise<Attachment>;
const fileUrl = (a: Which) => `/api/messages/${a.messageId}/attachments/${a.id}`;
export const at = (a: Which) => ({ params: { path: { id: a.messageId, attachmentId: a.id } } });

/** Interval between polls of a file in conversion, and its maximum, 20 s. */
const CONVERSION = { every: 5000, looks: 4 };
export const TIMED_OUT = 'The request timed out. Please try again.';

/** The message of a failure: the timeout, or the text of the action. */
export const timedOutOr = (error: unknown, text: string) => (error instanceof Error && error.message === TIMED_OUT ? TIMED_OUT : text);

export const isBusy = (a: Pick<Attachment, 'transformStatus' | 'previewAvailable'>) =>
  a.transformStatus === 'Pending' || a.previewAvailable === 'Processing';

/** Polls a file in conversion, at intervals and when the server reports the end. Returns a function that stops it. */
export function watchFile(
  a: Which,
  every: number,
  { onTick, onMade, onOpen }: { onTick: () => void; onMade: () => void; onOpen?: () => void },
) {
  const timer = setInterval(onTick, every);
  const hub = connectHub('documentprocessing', {
    onOpen: () => {
      hub.send({ type: 'waitFor', attachmentId: a.id });
      onOpen?.();
    },
    onFrame: (frame) => frame.type === 'completed' && frame.attachmentId === a.id && onMade(),
  });
  return () => {
    clearInterval(timer);
    hub.close();
  };
}

/** Waits for the end of a file's conversion: polls every 5 s up to 20 s, and when the server reports it. */
export function whenSettled(a: Which, read: ReadFile = getMetadata, isWaitedFor: (a: Attachment) => boolean = isBusy): Promise<Attachment> {
  return new Promise((resolve, reject) => {
    let looks = 0;
    const end = (settle: () => void) => {
      stop();
      settle();
    };
    const look = async () => {
      const fresh = await read(a).catch(() => null);
      if (fresh && !isWaitedFor(fresh)) end(() => resolve(fresh));
      return fresh;
    };
    const stop = watchFile(a, CONVERSION.every, {
      onTick: () => {
        const isLast = ++looks >= CONVERSION.looks;
        void look().then((fresh) => isLast && (!fresh || isWaitedFor(fresh)) && end(() => reject(new Error(TIMED_OUT))));
      },
      onMade: () => void look(),
      // It may have ended before the subscription.
      onOpen: () => void look(),
    });
  });
}

/** A rendition, once it exists. */
async function fetchReady(a: Which, accept: string, signal?: AbortSignal): Promise<Response> {
  const ask = () => rawFetch(fileUrl(a), { headers: { Accept: accept }, signal, quiet: true });
  const response = await ask();
  if (response.status !== 202) return response;
  await whenSettled(a);
  const made = await ask();
  if (made.status === 202) throw new Error(TIMED_OUT);
  return made;
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

/** Whether a clinical document only wraps a file. The server says so in the head of the page. */
export const carriesFile = (html: string) => html.slice(0, html.indexOf('<style>')).includes('<meta name="embedded-file"');

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

/** Container of embedded documents: a file of a message, or a document extracted from one. */
export type Source = Which | Pick<CachedDocument, 'cacheId'>;

export const partsQuery = (source: Source) =>
  queryOptions({
    queryKey: 'cacheId' in source ? ['cached', source.cacheId, 'parts'] : ['attachment', source.id, 'parts'],
    queryFn: async () =>
      (
        await unwrap(
          'cacheId' in source
            ? api.GET('/api/Preview/Document/{cacheId}/parts', { params: { path: { cacheId: source.cacheId } }, ...quiet })
            : api.GET('/api/messages/{id}/attachments/{attachmentId}/parts', { ...at(source), ...quiet }),
        )
      ).parts,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: KEEP_MS,
  });

/** Extracts a document, so that it has its own address. */
export const openPart = (source: Source, part: number) =>
  unwrap(
    'cacheId' in source
      ? api.POST('/api/Preview/Document/{cacheId}/parts/{part}', { params: { path: { cacheId: source.cacheId, part } }, ...quiet })
      : api.POST('/api/messages/{id}/attachments/{attachmentId}/parts/{part}', {
          params: { path: { id: source.messageId, attachmentId: source.id, part } },
          ...quiet,
        }),
  );

const cachedUrl = (cacheId: string) => `/api/Preview/Document/${cacheId}`;

export const cachedPdfQuery = ({ cacheId }: Pick<CachedDocument, 'cacheId'>) =>
  queryOptions({
    queryKey: ['cached', cacheId, 'pdf'],
    queryFn: async ({ signal }) =>
      (await rawFetch(cachedUrl(cacheId), { headers: { Accept: 'application/pdf' }, signal, quiet: true })).blob(),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: KEEP_MS,
  });

export const fetchCached = async ({ cacheId }: Pick<CachedDocument, 'cacheId'>) =>
  (await rawFetch(cachedUrl(cacheId), { headers: { Accept: 'application/octet-stream' } })).blob();

export const getMetadata = (a: Which) => unwrap(api.GET('/api/messages/{id}/attachments/{attachmentId}/metadata', { ...at(a), ...quiet }));
export const generatePreview = (a: Which) =>
  unwrap(api.PUT('/api/messages/{id}/attachments/{attachmentId}/generatePreview', { ...at(a), ...quiet }));
export const markAttachmentRead = (a: Which) =>
  unwrap(api.PUT('/api/messages/{id}/attachments/{attachmentId}/read', { ...at(a), ...quiet }));

export type ConvertTo = 'Pdf' | 'Cda';
export const convertAttachment = (a: Which, type: ConvertTo) =>
  unwrap(api.PUT('/api/messages/{id}/attachments/{attachmentId}/convert', { params: { ...at(a).params, query: { type } }, ...quiet }));
export const restoreAttachment = (a: Which) =>
  unwrap(api.PUT('/api/messages/{id}/attachments/{attachmentId}/restore', { ...at(a), ...quiet }));
