import { useQueryClient } from '@tanstack/react-query';
import { api, unwrap } from '@/api/client';
import { queryOf, refresh } from '@/api/query';
import type { Run } from '@/api/types';
import { queryClient } from '@/app/session';

export const RUNS = '/api/diagnostics/messaging/workflows';
const RUN = '/api/workflows/{id}';

export const runQuery = (id: string, type: Run['type']) => queryOf('get', RUN, { params: { path: { id }, query: { type } } });

/** The events of a message, five per page. */
export const EVENTS = 5;
export const eventsQuery = (mailMessageId: number, page: number) =>
  queryOf('get', '/odata/eventmessages', {
    params: {
      query: { $filter: `MailMessageId eq ${mailMessageId}`, $top: EVENTS, $skip: (page - 1) * EVENTS, $count: true },
    },
  });

/** Runs a step again, and refetches the queries that show it. */
export async function retryStep(run: Pick<Run, 'id' | 'type'>, stepId: string) {
  await unwrap(api.PUT(RUN, { params: { path: { id: run.id } }, body: { type: run.type, retryStep: stepId, id: run.id } }));
  await refresh(queryClient, RUN, RUNS);
}

/** Refetches the workflows. */
export function useRefreshRuns() {
  const client = useQueryClient();
  return () => void refresh(client, RUN, RUNS);
}
