import { queryOptions } from '@tanstack/react-query';
import { quiet, rawFetch } from '@/api/client';
import { itemsOf, queryOf, refresh } from '@/api/query';
import type { ImportBatch, ImportCheck } from '@/api/types';
import { queryClient } from '@/app/session';
import { madeName, saveFile } from '@/shared/saveFile';

const IMPORT = '/api/admin/import';
const ORGANIZATIONS = `${IMPORT}/organization`;
/** While a file is being imported. */
const POLL_MS = 1_000;

const isOpen = ({ batchStatus }: ImportBatch) => batchStatus === 'Waiting' || batchStatus === 'Running';

export const batchesQuery = queryOptions({
  ...itemsOf(queryOf('get', `${IMPORT}/batches`, quiet)),
  refetchInterval: ({ state }) => (state.data?.some(isOpen) ? POLL_MS : false),
});

export type Metadata = {
  HispProviderId: string;
  BrandId: string;
  /** Null for the Free plan. */
  PlanId: string | null;
  ResellerId: string | null;
  Specialty: string;
  Type: string;
};

function formOf(file: File, metadata: Metadata) {
  const body = new FormData();
  body.append('metadata', JSON.stringify(metadata));
  body.append('file', file, file.name);
  return body;
}

export async function importOrganizations(file: File, metadata: Metadata): Promise<ImportBatch> {
  const response = await rawFetch(ORGANIZATIONS, { method: 'POST', body: formOf(file, metadata) });
  await refresh(queryClient, IMPORT);
  return response.json();
}

export async function checkOrganizations(file: File, metadata: Metadata): Promise<ImportCheck> {
  return (await rawFetch(`${ORGANIZATIONS}/check`, { method: 'POST', body: formOf(file, metadata) })).json();
}

const save = async (response: Promise<Response>, name: string) => saveFile(await (await response).blob(), madeName(name, 'csv'));

/** The rows with problems in a check. */
export const saveWrongRows = (file: File, metadata: Metadata) =>
  save(
    rawFetch(`${ORGANIZATIONS}/check`, { method: 'POST', body: formOf(file, metadata), headers: { Accept: 'text/csv' } }),
    'organizations-to-correct',
  );
/** The rows of a file that failed. */
export const saveFailedRows = (id: string) => save(rawFetch(`${IMPORT}/${id}/problems`), 'organizations-to-correct');
export const saveTemplate = () => save(rawFetch(`${IMPORT}/template`), 'organizations-template');
