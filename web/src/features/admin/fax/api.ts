import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, unwrap } from '@/api/client';
import { itemsOf, queryOf, refresh } from '@/api/query';
import { queryClient } from '@/app/session';

export const queueQuery = (pageNumber: number, pageSize: number) =>
  queryOptions({
    ...queryOf('get', '/api/admin/faxqueue', { params: { query: { pageNumber, pageSize } } }),
    placeholderData: keepPreviousData,
    meta: { page: true },
  });

/** The first matching numbers that a fax can be assigned to. */
export const numbersOfQuery = (organizationId: string, search: string) =>
  queryOptions({
    ...itemsOf(queryOf('get', '/api/admin/documentsources', { params: { query: { type: 'fax', organizationId, search } } })),
    placeholderData: keepPreviousData,
  });

const changed = () => refresh(queryClient, '/api/admin/faxqueue');

export async function assignFax(id: string, documentSourceId: string) {
  await unwrap(api.POST('/api/admin/faxqueue/{id}/assign', { params: { path: { id } }, body: { documentSourceId } }));
  await changed();
}
export async function discardFax(id: string, reason: string) {
  await unwrap(api.POST('/api/admin/faxqueue/{id}/discard', { params: { path: { id } }, body: { reason } }));
  await changed();
}
