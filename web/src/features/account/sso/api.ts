import { api, unwrap } from '@/api/client';
import { queryOf } from '@/api/query';
import type { SsoConnectionInput } from '@/api/types';
import { queryClient } from '@/app/session';

export const ssoQuery = { ...queryOf('get', '/api/account/settings/sso'), meta: { page: true } };

export async function saveSso(body: SsoConnectionInput) {
  const saved = await unwrap(api.PUT('/api/account/settings/sso', { body }));
  queryClient.setQueryData(ssoQuery.queryKey, saved);
  return saved.connection!;
}

/** The current connection. */
export async function readSso() {
  const { connection } = await unwrap(api.GET('/api/account/settings/sso'));
  if (!connection) throw new Error('Single sign-on was removed.');
  return connection;
}

export async function removeSso() {
  await unwrap(api.DELETE('/api/account/settings/sso'));
  await queryClient.invalidateQueries({ queryKey: ssoQuery.queryKey });
}
