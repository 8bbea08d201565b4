import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, unwrap } from '@/api/client';
import { queryClient } from '@/app/session';

const queueKey = ['admin', 'faxqueue'] as const;

export const queueQuery = (pageNumber: number, pageSize: number) =>
  queryOptions({
    queryKey: [...queueKey, pageNumber, pageSize],
    queryFn: () => unwrap(api.GET('/api/admin/faxqueue', { params: { query: { pageNumber, pageSize } } })),
    placeholderData: keepPreviousData,
    meta: { page: true },
  });

/** The first matching numbers that a fax can be assigned to. */
export const numbersOfQuery = (organizationId: string, search: string) =>
  queryOptions({
    queryKey: ['admin', 'faxnumbers', organizationId, search],
    queryFn: async () =>
      (await unwrap(api.GET('/api/admin/documentsources', { params: { query: { type: 'fax', organizationId, search } } }))).items,
    placeholderData: keepPreviousData,
  });

const changed = () => queryClient.invalidateQueries({ queryKey: queueKey });

export async function assignFax(id: string, documentSourceId: string) {
  await unwrap(api.POST('/api/admin/faxqueue/{id}/assign', { params: { path: { id } }, body: { documentSourceId } }));
  await changed();
}
export async function discardFax(id: string, reason: string) {
  await unwrap(api.POST('/api/admin/faxqueue/{id}/discard', { params: { path: { id } }, body: { reason } }));
  await changed();
}
