import { queryOptions, useQueryClient } from '@tanstack/react-query';
import { api, quiet, unwrap } from '@/api/client';
import type { Message } from '@/api/types';

/** Calls on one message that several screens make. */

export const messageKey = (id: string) => ['message', id] as const;

export const messageQuery = (id: string) =>
  queryOptions({
    queryKey: messageKey(id),
    queryFn: () => unwrap(api.GET('/api/messages/{id}', { params: { path: { id } } })),
    meta: { page: true },
  });

export const assignableQuery = queryOptions({
  queryKey: ['reference', 'assignable'],
  queryFn: async () => (await unwrap(api.GET('/api/users/assignable', quiet))).items,
});

const at = (id: string) => ({ params: { path: { id } } });

export const processMessage = (id: string, isProcessed: boolean, processType?: string | null) =>
  unwrap(api.PUT('/api/messages/{id}/process', { ...at(id), body: { isProcessed, processType } }));
export const assignMessage = (id: string, userId: string | null, urgent?: boolean) =>
  unwrap(api.PUT('/api/messages/{id}/assign', { ...at(id), body: { userId, urgent } }));
export const readMessage = (id: string) => unwrap(api.PUT('/api/messages/{id}/read', { ...at(id), ...quiet }));
export const deleteMessage = (id: string) => unwrap(api.DELETE('/api/messages/{id}', at(id)));

/** Puts a changed message where the screens find it, and lets the lists ask again. */
export function useMessageChanged() {
  const client = useQueryClient();
  return (message: Message) => {
    client.setQueryData(messageKey(message.id), (old: Message | undefined) => ({ ...old, ...message }));
    void client.invalidateQueries({ queryKey: ['intake'] });
  };
}

/** The organization's own addresses and fax numbers. */
export const ownAddressesQuery = queryOptions({
  queryKey: ['reference', 'ownAddresses'],
  queryFn: async () => (await unwrap(api.GET('/api/documentsources/release', quiet))).items,
});
