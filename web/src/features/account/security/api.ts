import { api, unwrap } from '@/api/client';
import { queryClient } from '@/app/session';

export const securityQuery = { queryKey: ['account', 'security'], queryFn: () => unwrap(api.GET('/api/account/settings/security')) };

export type SecurityInput = {
  idleMinutes: number;
  requireSecondFactor: boolean;
  requireWhitelistedIp: boolean;
  allowedAddresses: string[];
  confirmLockOut?: boolean;
};

export async function saveSecurity(body: SecurityInput) {
  queryClient.setQueryData(securityQuery.queryKey, await unwrap(api.PUT('/api/account/settings/security', { body })));
  await queryClient.invalidateQueries({ queryKey: ['session', 'profile'] });
}
