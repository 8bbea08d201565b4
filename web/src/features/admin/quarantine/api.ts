import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, unwrap } from '@/api/client';
import { queryOf, refresh } from '@/api/query';
import type { HeldFile } from '@/api/types';
import { queryClient } from '@/app/session';

export const quarantineQuery = (state: HeldFile['state'], pageNumber: number, pageSize: number) =>
  queryOptions({
    ...queryOf('get', '/api/admin/quarantine', { params: { query: { state, pageNumber, pageSize } } }),
    placeholderData: keepPreviousData,
    meta: { page: true },
  });

const changed = () => refresh(queryClient, '/api/admin/quarantine');

export async function releaseFile(id: string, reason: string) {
  await unwrap(api.POST('/api/admin/quarantine/{id}/release', { params: { path: { id } }, body: { reason } }));
  await changed();
}
export async function deleteFile(id: string) {
  await unwrap(api.DELETE('/api/admin/quarantine/{id}', { params: { path: { id } } }));
  await changed();
}
