import { useQuery, useQueryClient } from '@tanstack/react-query';
import { quiet } from '@/api/client';
import { queryOf, refresh } from '@/api/query';

/** How often the number in the sidebar is read anew. */
const COUNT_EVERY_MS = 60_000;

/** How many photo IDs wait for a decision. */
export const useWaitingDocuments = () =>
  useQuery({ ...queryOf('get', '/api/admin/users/idproof/count', { ...quiet }), refetchInterval: COUNT_EVERY_MS }).data?.count;

/** After a decision the list, the number and the accounts are read anew. */
export function useRefreshProofing() {
  const client = useQueryClient();
  return () => refresh(client, '/api/admin/users', '/api/organizations');
}
