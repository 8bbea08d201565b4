import type { QueryClient } from '@tanstack/react-query';
import { api, quiet, unwrap } from '@/api/client';
import { queryOf, reshaped } from '@/api/query';
import type { ChartFiling } from '@/api/types';

/** Calls about the documents of a message in charts. */

/** The patient of a chart, as seen by the person who files. The server refuses if it is another one by then. */
export type ChartTarget = { integrationId: string; chartPatientId: string };
type FileRequest = ChartTarget & { attachmentIds: string[]; acceptsGaps?: boolean; acceptsPatient?: boolean; takesOver?: boolean };

const at = (id: string) => ({ params: { path: { id } } });

export const filingsQuery = (id: string) => queryOf('get', '/api/messages/{id}/chart', { ...at(id), ...quiet });

/** On its way to the chart, or out of it. */
export const isRunning = ({ state }: ChartFiling) => state === 'Waiting' || state === 'Withdrawing';
/** In the chart, or on its way there: the document cannot be filed again. */
export const isInChart = ({ state }: ChartFiling) => state !== 'Failed' && state !== 'Withdrawn';

/** The patients of the chart who may be the saved patient of the message. */
export const matchesQuery = (id: string, integrationId: string, patientVersion: number) =>
  reshaped(
    queryOf('get', '/api/messages/{id}/chart/matches', { params: { path: { id }, query: { integrationId } }, ...quiet }),
    (answer) => answer,
    [patientVersion],
  );

const keep = (client: QueryClient, id: string, { items }: { items: ChartFiling[] }) => {
  client.setQueryData(filingsQuery(id).queryKey, { items });
  return items;
};

/** Files documents into the chart and processes the message. Answers the ids of the filings. */
export async function fileToChart(client: QueryClient, id: string, request: FileRequest): Promise<string[]> {
  // Sent at once: it continues when the page is left before the answer.
  const view = await unwrap(api.POST('/api/messages/{id}/chart', { ...at(id), body: { ...request, processes: true }, keepalive: true }));
  const items = keep(client, id, view);
  return items.filter((f) => isInChart(f) && request.attachmentIds.includes(f.attachmentId)).map((f) => f.id);
}

const ofFiling = (id: string, filingId: string) => ({ params: { path: { id, filingId } } });

/** Takes a document back. The message can be processed again. */
export const takeBackFiling = async (client: QueryClient, id: string, filingId: string) =>
  keep(client, id, await unwrap(api.POST('/api/messages/{id}/chart/{filingId}/undo', ofFiling(id, filingId))));
export const retryFiling = async (client: QueryClient, id: string, filingId: string) =>
  keep(client, id, await unwrap(api.POST('/api/messages/{id}/chart/{filingId}/retry', ofFiling(id, filingId))));
