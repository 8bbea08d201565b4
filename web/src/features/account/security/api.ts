import { queryOptions } from '@tanstack/react-query';
import { api, unwrap } from '@/api/client';
import { queryOf } from '@/api/query';
import { profileQuery, queryClient } from '@/app/session';

export const securityQuery = queryOptions({
  ...queryOf('get', '/api/account/settings/security'),
  // The form is filled from it once, so it must be current.
  staleTime: 0,
  refetchOnWindowFocus: false,
  meta: { page: true },
});

export type SecurityInput = {
  idleMinutes: number;
  requireSecondFactor: boolean;
  requireWhitelistedIp: boolean;
  allowedAddresses: string[];
  confirmLockOut?: boolean;
  version?: number;
};

export async function saveSecurity(body: SecurityInput) {
  const saved = await unwrap(api.PUT('/api/account/settings/security', { body }));
  queryClient.setQueryData(securityQuery.queryKey, saved);
  await queryClient.invalidateQueries({ queryKey: profileQuery.queryKey });
  return saved;
}
