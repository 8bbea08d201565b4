import { api, unwrap } from '@/api/client';
import type { SsoConnectionInput } from '@/api/types';
import { queryClient } from '@/app/session';

export const ssoQuery = { queryKey: ['account', 'sso'], queryFn: () => unwrap(api.GET('/api/account/settings/sso')), meta: { page: true } };

export async function saveSso(body: SsoConnectionInput) {
  queryClient.setQueryData(ssoQuery.queryKey, await unwrap(api.PUT('/api/account/settings/sso', { body })));
}

export async function removeSso() {
  await unwrap(api.DELETE('/api/account/settings/sso'));
  await queryClient.invalidateQueries({ queryKey: ssoQuery.queryKey });
}
