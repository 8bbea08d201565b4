import { useQuery, useQueryClient } from '@tanstack/react-query';
import { quiet } from '@/api/client';
import { queryOf, refresh } from '@/api/query';

/** Interval between reads of the number in the sidebar. */
const COUNT_EVERY_MS = 60_000;

/** The number of photo IDs that wait for a decision. */
export const useWaitingDocuments = () =>
  useQuery({ ...queryOf('get', '/api/admin/users/idproof/count', { ...quiet }), refetchInterval: COUNT_EVERY_MS }).data?.count;

/** Refetches the list, the number and the accounts after a decision. */
export function useRefreshProofing() {
  const client = useQueryClient();
  return () => refresh(client, '/api/admin/users', '/api/organizations');
}
