import { api, unwrap } from '@/api/client';
import { queryOf } from '@/api/query';
import type { SecuritySettings } from '@/api/types';
import { queryClient } from '@/app/session';

const PATH = '/api/account/settings/security';
const of = (organizationId: string) => ({ params: { query: { organizationId } } });

/** The sign-in requirements of an organization, for an operator. The forms are filled from it once. */
export const securityQuery = (organizationId: string) => ({
  ...queryOf('get', PATH, of(organizationId)),
  staleTime: 0,
  refetchOnWindowFocus: false,
});
export const latestSecurity = (organizationId: string) => queryClient.fetchQuery(securityQuery(organizationId));

/** Saves settings based on the version that they name. */
export async function saveSecurity(organizationId: string, settings: SecuritySettings) {
  const { idleMinutes, requireSecondFactor, requireWhitelistedIp, allowedAddresses, version } = settings;
  const body = { idleMinutes, requireSecondFactor, requireWhitelistedIp, allowedAddresses, version };
  const saved = await unwrap(api.PUT(PATH, { ...of(organizationId), body }));
  queryClient.setQueryData(securityQuery(organizationId).queryKey, saved);
  return saved;
}
