import { queryOptions } from '@tanstack/react-query';
import { ApiError, api, unwrap } from '@/api/client';
import { type ApiPath, queryOf, refresh } from '@/api/query';
import type { NetworkFeatureInput, ServiceAccount } from '@/api/types';
import { networkFeaturesQuery } from '@/app/networkFeatures';
import { queryClient } from '@/app/session';
import { textField } from '@/shared/form/fields';

export const at = (id: string) => ({ params: { path: { id } } });

export const networkFields = { name: textField('Name') };
/** Paths of everything that shows networks, reloaded together after a change. */
export const RELATED: readonly ApiPath[] = ['/api/networks', '/api/admin/networks/{id}', '/api/organizations'];

/** The form is filled from it once, so it must be current. */
export const networkQuery = (id: string) => ({
  ...queryOf('get', '/api/networks/{id}', at(id)),
  staleTime: 0,
  refetchOnWindowFocus: false,
  meta: { page: true },
});

export async function renameNetwork(id: string, name: string, version: number) {
  const saved = await unwrap(api.PUT('/api/networks/{id}', { ...at(id), body: { name, version } }));
  queryClient.setQueryData(networkQuery(id).queryKey, saved);
  await refresh(queryClient, ...RELATED);
  return saved;
}

const FEATURES = '/api/admin/networks/{id}/features';
const readFeatures = (id: string) => queryClient.invalidateQueries({ queryKey: networkFeaturesQuery(id).queryKey });
export async function addFeature(id: string, body: NetworkFeatureInput) {
  await unwrap(api.POST(FEATURES, { ...at(id), body }));
  await readFeatures(id);
}
export async function changeFeature(id: string, body: NetworkFeatureInput) {
  await unwrap(api.PUT(FEATURES, { ...at(id), body }));
  await readFeatures(id);
}
export async function removeFeature(id: string, name: string) {
  await unwrap(api.DELETE(FEATURES, { params: { path: { id }, query: { name } } }));
  await readFeatures(id);
}

/** The account, or none. An error counts as none, but then nothing is offered that would revoke a token nobody saw. */
export type AccountState = { account: ServiceAccount | null; failed: boolean };
export const serviceAccountQuery = (id: string) =>
  queryOptions({
    queryKey: ['get', '/api/networks/{id}/serviceaccounts', id],
    queryFn: async (): Promise<AccountState> => {
      try {
        return { account: await unwrap(api.GET('/api/networks/{id}/serviceaccounts', at(id))), failed: false };
      } catch (error) {
        if (error instanceof ApiError && !error.isRevoked && !error.isRefused) return { account: null, failed: error.status !== 404 };
        if (error instanceof TypeError) return { account: null, failed: true };
        throw error;
      }
    },
    staleTime: 0,
  });
const show = (id: string, account: ServiceAccount | null) =>
  queryClient.setQueryData<AccountState>(serviceAccountQuery(id).queryKey, { account, failed: false });

/** Creates the account, or renews its token. The token is shown only once and stored nowhere. */
export async function renewToken(id: string): Promise<string> {
  const { account, token } = await unwrap(api.PUT('/api/networks/{id}/serviceaccounts', at(id)));
  show(id, account);
  return token;
}
export async function deleteAccount(id: string) {
  await unwrap(api.DELETE('/api/networks/{id}/serviceaccounts', at(id)));
  show(id, null);
}
export async function enableAccount(id: string, enable: boolean) {
  const path = enable ? '/api/networks/{id}/serviceaccounts/enable' : '/api/networks/{id}/serviceaccounts/disable';
  show(id, await unwrap(api.PUT(path, at(id))));
}
export async function saveAddresses(id: string, addresses: string[], version: number | undefined) {
  const params = { path: { id }, query: { version } };
  const saved = await unwrap(api.PUT('/api/networks/{id}/serviceaccounts/ipaddresses', { params, body: addresses }));
  show(id, saved);
  return saved;
}
