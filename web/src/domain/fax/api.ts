import { api, unwrap } from '@/api/client';
import { itemsOf, queryOf, refresh, refreshOnly } from '@/api/query';
import type { FaxAccountInput, FaxProviderKind } from '@/api/types';
import { queryClient } from '@/app/session';

/** The organization; operators name it, others manage their own. */
export type OfOrganization = { organizationId?: string };

export const accountsQuery = (of: OfOrganization) => itemsOf(queryOf('get', '/api/fax/accounts', { params: { query: of } }));
export const providersQuery = (of: OfOrganization = {}) => itemsOf(queryOf('get', '/api/fax/providers', { params: { query: of } }));

/** Invalidates numbers, accounts, the sources to send from, and their assignments. */
const forget = () =>
  Promise.all([
    refresh(queryClient, '/api/fax/accounts', '/api/fax/providers', '/api/fax/log', '/api/fax/settings', '/api/users/{id}'),
    refreshOnly(queryClient, '/api/admin/documentsources', '/api/documentsources/release', '/api/users'),
  ]);

export const followed = async <T>(call: Promise<T>) => {
  const answer = await call;
  await forget();
  return answer;
};

export const saveAccount = (provider: FaxProviderKind, query: OfOrganization, body: FaxAccountInput) => {
  if (provider === 'efax') return followed(unwrap(api.PUT('/api/efax/account', { params: { query }, body })));
  if (provider === 'westfax') return followed(unwrap(api.PUT('/api/westfax/account', { params: { query }, body })));
  return followed(unwrap(api.PUT('/api/fax/accounts/{provider}', { params: { path: { provider }, query }, body })));
};
/** The current state of an account. */
export async function readAccount(provider: FaxProviderKind, query: OfOrganization) {
  const { items } = await unwrap(api.GET('/api/fax/accounts', { params: { query } }));
  const found = items.find((account) => account.provider === provider);
  if (!found) throw new Error('The fax account was deleted.');
  return found;
}
export const removeAccount = (provider: FaxProviderKind, query: OfOrganization) => {
  if (provider === 'efax') return followed(unwrap(api.DELETE('/api/efax/account', { params: { query } })));
  if (provider === 'westfax') return followed(unwrap(api.DELETE('/api/westfax/account', { params: { query } })));
  return followed(unwrap(api.DELETE('/api/fax/accounts/{provider}', { params: { path: { provider }, query } })));
};
export const testAccount = (provider: FaxProviderKind, query: OfOrganization) =>
  followed(unwrap(api.POST('/api/fax/accounts/{provider}/test', { params: { path: { provider }, query } })));
/** Imports the numbers of the account at WestFax. */
export const syncAccount = (query: OfOrganization) => followed(unwrap(api.POST('/api/westfax/account/sync', { params: { query } })));
