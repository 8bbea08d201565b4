import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { api, quiet, rawFetch, unwrap } from '@/api/client';
import { itemsOf, queryOf, refresh } from '@/api/query';
import type { ExportRequest, Task } from '@/api/types';

/** Exports and prints that the server makes in the background; they are the caller's own, in every tab. */

/** Interval between polls of a running task; events arrive earlier. */
const LOOK_AGAIN_MS = 3000;

export const tasksQuery = queryOptions({
  ...itemsOf(queryOf('get', '/api/tasks', quiet)),
  refetchInterval: ({ state }) => (state.data?.some((task) => task.worker.inProgress) ? LOOK_AGAIN_MS : false),
});

const at = (id: string) => ({ params: { path: { id } } });

export const taskQuery = (id: string) =>
  queryOptions({
    ...queryOf('get', '/api/tasks/{id}', { ...at(id), ...quiet }),
    refetchInterval: ({ state }) => (state.data?.worker.inProgress ? LOOK_AGAIN_MS / 3 : false),
  });

/** The names may be those of patients, so nothing is kept. */
export const taskFilesQuery = (id: string) =>
  queryOptions({ ...queryOf('get', '/api/tasks/{id}/files', { ...at(id), ...quiet }), gcTime: 0 });

export const createTask = (body: ExportRequest) => unwrap(api.POST('/api/tasks', { body }));
export const filesOf = (id: string) => unwrap(api.GET('/api/tasks/{id}/files', { ...at(id), ...quiet }));
export const fetchFile = (id: string, position: number) => rawFetch(`/api/tasks/${id}/files/${position}`, { quiet: true });
export const fetchContent = (id: string) => rawFetch(`/api/tasks/${id}/content`);

type Act = { kind: 'cancel' | 'retry' | 'confirm' | 'discard'; id: string } | { kind: 'clear' };

const run = (act: Act): Promise<Task | undefined> => {
  switch (act.kind) {
    case 'cancel':
      return unwrap(api.PUT('/api/tasks/{id}/cancel', at(act.id)));
    case 'retry':
      return unwrap(api.PUT('/api/tasks/{id}/retry', { ...at(act.id), body: {} }));
    case 'confirm':
      return unwrap(api.PUT('/api/tasks/{id}/retry', { ...at(act.id), body: { acceptsGaps: true, takesOver: true } }));
    case 'discard':
      return unwrap(api.DELETE('/api/tasks/{id}', at(act.id)));
    case 'clear':
      return unwrap(api.DELETE('/api/tasks'));
  }
};

/** Stops, retries or removes one task, or clears all finished ones. */
export function useTaskActs() {
  const client = useQueryClient();
  return useMutation({ mutationFn: run, onSettled: () => refresh(client, '/api/tasks') });
}

export function useRefreshTasks() {
  const client = useQueryClient();
  return () => refresh(client, '/api/tasks');
}
