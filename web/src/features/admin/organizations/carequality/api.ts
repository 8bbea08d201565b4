import { queryOptions } from '@tanstack/react-query';
import { api, unwrap } from '@/api/client';
import type { DirectoryEntryInput } from '@/api/types';
import { queryClient } from '@/app/session';

const at = (id: string) => ({ params: { path: { id } } });

export const entriesQuery = (organizationId: string) =>
  queryOptions({
    queryKey: ['organizations', 'directoryentries', organizationId],
    queryFn: async () => (await unwrap(api.GET('/api/admin/organizations/{id}/directoryentries', at(organizationId)))).items,
    retry: false,
  });

export async function saveEntry(organizationId: string, body: DirectoryEntryInput) {
  await unwrap(api.PUT('/api/admin/organizations/{id}/directoryentries', { ...at(organizationId), body }));
  await queryClient.invalidateQueries({ queryKey: entriesQuery(organizationId).queryKey });
}
