import { queryOptions } from '@tanstack/react-query';
import { api, quiet, rawFetch, unwrap } from '@/api/client';
import { queryOf } from '@/api/query';
import type { Batch } from '@/api/types';
import { madeName, saveFile } from '@/shared/saveFile';
import { type Plan, toSend } from './plan';

const at = (id: string) => ({ params: { path: { id } } });

/** Whether the server is working on the batch, so that it has to be asked again. */
export const isBusy = (batch: Batch | undefined) =>
  batch !== undefined &&
  (batch.files.some((f) => f.state === 'Reading') || (batch.state === 'Filing' && batch.documents.some((d) => !d.isFiled && !d.problem)));

/** The answer to a change is the newest state; changes by others are noticed at the next save. */
export const batchQuery = (id: string) =>
  queryOptions({
    ...queryOf('get', '/api/triage/{id}', { ...at(id), ...quiet }),
    meta: { page: true },
    staleTime: Number.POSITIVE_INFINITY,
    // Returning shows the changes of others.
    gcTime: 0,
    refetchOnWindowFocus: false,
  });

export const savePlan = (id: string, plan: Plan, version: number) =>
  unwrap(api.PUT('/api/triage/{id}', { ...at(id), body: { ...toSend(plan), version }, ...quiet }));

export const fileBatch = (id: string, version: number) => unwrap(api.POST('/api/triage/{id}/file', { ...at(id), body: { version } }));

/** Number of pages on one contact sheet, and its columns. */
export const SHEET_PAGES = 20;
export const SHEET_COLUMNS = 5;

const pictureQuery = (path: string) =>
  queryOptions({
    queryKey: ['get', path],
    queryFn: async () => (await rawFetch(path, { quiet: true })).blob(),
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });

export const sheetQuery = (batch: string, file: string, number: number) =>
  pictureQuery(`/api/triage/${batch}/files/${file}/sheets/${number}`);
export const pageQuery = (batch: string, file: string, page: number) => pictureQuery(`/api/triage/${batch}/files/${file}/pages/${page}`);

const fileUrl = (batch: string, file: string) => `/api/triage/${batch}/files/${file}`;

/** The safe page of a clinical document; empty for other files. */
export const readableQuery = (batch: string, file: string) =>
  queryOptions({
    queryKey: ['get', fileUrl(batch, file), 'readable'],
    queryFn: async () => {
      const answer = await rawFetch(fileUrl(batch, file), { headers: { Accept: 'text/html' }, quiet: true });
      return answer.headers.get('content-type')?.startsWith('text/html') ? answer.text() : '';
    },
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });

export async function saveOriginal(batch: string, file: string, name: string) {
  saveFile(await (await rawFetch(fileUrl(batch, file))).blob(), name);
}

export async function saveSeparatorSheet(label: string) {
  const headers = { 'Content-Type': 'application/json' };
  const answer = await rawFetch('/api/triage/separatorsheet', { method: 'POST', headers, body: JSON.stringify({ label }) });
  saveFile(await answer.blob(), madeName('separator-sheet', 'pdf'));
}
