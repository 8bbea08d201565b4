import type { QueryClient } from '@tanstack/react-query';
import { api, quiet, unwrap } from '@/api/client';
import { queryOf, reshaped } from '@/api/query';
import type { ChartFiling, ChartView } from '@/api/types';
import { isOfService } from '@/domain/charts/filings';

/** Calls about the documents of a message in charts. */

/** The patient of a chart, as seen by the person who files. The server refuses if it is another one by then. */
export type ChartTarget = { integrationId: string; chartPatientId: string };
type Accepted = { acceptsPatient?: boolean; takesOver?: boolean };
type FileRequest = ChartTarget & Accepted & { attachmentIds: string[]; acceptsGaps?: boolean };
type SendRequest = Accepted & { integrationId: string; attachmentIds: string[] };

const at = (id: string) => ({ params: { path: { id } } });

export const filingsQuery = (id: string) => queryOf('get', '/api/messages/{id}/chart', { ...at(id), ...quiet });

const isThere = ({ state }: ChartFiling) => state !== 'Failed' && state !== 'Withdrawn';
/** In the chart, or on its way there: the document cannot be filed again. */
export const isInChart = (filing: ChartFiling) => isThere(filing) && !isOfService(filing);

/** The patients of the chart who may be the saved patient of the message. */
export const matchesQuery = (id: string, integrationId: string, patientVersion: number) =>
  reshaped(
    queryOf('get', '/api/messages/{id}/chart/matches', { params: { path: { id }, query: { integrationId } }, ...quiet }),
    (answer) => answer,
    [patientVersion],
  );

const keep = (client: QueryClient, id: string, view: ChartView) => {
  client.setQueryData(filingsQuery(id).queryKey, view);
  return view.items;
};

async function post(client: QueryClient, id: string, body: FileRequest & { processes: boolean }): Promise<string[]> {
  // Sent at once: it continues when the page is left before the answer.
  const view = await unwrap(api.POST('/api/messages/{id}/chart', { ...at(id), body, keepalive: true }));
  const isAsked = (f: ChartFiling) => isThere(f) && f.integrationId === body.integrationId && body.attachmentIds.includes(f.attachmentId);
  return keep(client, id, view)
    .filter(isAsked)
    .map((f) => f.id);
}

/** Files documents into the chart and processes the message. Answers the ids of the filings. */
export const fileToChart = (client: QueryClient, id: string, request: FileRequest) => post(client, id, { ...request, processes: true });

/** Sends documents to a system without charts. Answers the ids of the filings. */
export const sendToService = (client: QueryClient, id: string, request: SendRequest) =>
  post(client, id, { ...request, chartPatientId: '', processes: false });

const ofFiling = (id: string, filingId: string) => ({ params: { path: { id, filingId } } });

/** Takes a document back. The message can be processed again. */
export const takeBackFiling = async (client: QueryClient, id: string, filingId: string) =>
  keep(client, id, await unwrap(api.POST('/api/messages/{id}/chart/{filingId}/undo', ofFiling(id, filingId))));
export const retryFiling = async (client: QueryClient, id: string, filingId: string) =>
  keep(client, id, await unwrap(api.POST('/api/messages/{id}/chart/{filingId}/retry', ofFiling(id, filingId))));
