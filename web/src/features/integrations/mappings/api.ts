import { queryOptions } from '@tanstack/react-query';
import { api, quiet, unwrap } from '@/api/client';
import { queryOf } from '@/api/query';
import type { EhrMapping, EhrMappings } from '@/api/types';

const at = (id: string) => ({ params: { path: { id } } });

/** The people and groups of an EHR, read from it each time. */
export const mappingsQuery = (id: string) =>
  queryOptions({
    ...queryOf('get', '/api/integrations/{id}/mappings', { ...at(id), ...quiet }),
    retry: false,
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });

/** Who somebody of the EHR is here. */
export type MappingChange = Pick<EhrMapping, 'kind' | 'externalId'> & { userIds: string[] };

/** Most changes of one request. */
const MOST = 500;

/** Saves changes; what is not among them stays. */
export async function saveMappings(id: string, changes: MappingChange[]): Promise<EhrMappings | undefined> {
  let now: EhrMappings | undefined;
  for (let from = 0; from < changes.length; from += MOST)
    now = await unwrap(api.PUT('/api/integrations/{id}/mappings', { ...at(id), body: { items: changes.slice(from, from + MOST) } }));
  return now;
}
