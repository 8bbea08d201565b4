import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, unwrap } from '@/api/client';
import type { HeldFile } from '@/api/types';
import { queryClient } from '@/app/session';

const key = ['admin', 'quarantine'] as const;

export const quarantineQuery = (state: HeldFile['state'], pageNumber: number, pageSize: number) =>
  queryOptions({
    queryKey: [...key, state, pageNumber, pageSize],
    queryFn: () => unwrap(api.GET('/api/admin/quarantine', { params: { query: { state, pageNumber, pageSize } } })),
    placeholderData: keepPreviousData,
    meta: { page: true },
  });

const changed = () => queryClient.invalidateQueries({ queryKey: key });

export async function releaseFile(id: string, reason: string) {
  await unwrap(api.POST('/api/admin/quarantine/{id}/release', { params: { path: { id } }, body: { reason } }));
  await changed();
}
export async function deleteFile(id: string) {
  await unwrap(api.DELETE('/api/admin/quarantine/{id}', { params: { path: { id } } }));
  await changed();
}
