import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { ApiError, api, quiet, unwrap } from '@/api/client';
import type { ServiceAccount } from '@/api/types';
import { queryClient } from '@/app/session';

export type PageRequest = { search?: string; page: number; size: number };

const networksKey = ['networks'] as const;
const oneKey = (id: string) => [...networksKey, 'one', id] as const;
const at = (id: string) => ({ params: { path: { id } } });
/** A search begins at the first page. */
const pageOf = ({ search, page, size }: PageRequest) => ({ search, page, size });

export const networksQuery = (request: PageRequest) =>
  queryOptions({
    queryKey: [...networksKey, 'list', request],
    queryFn: () => unwrap(api.GET('/api/networks', { params: { query: pageOf(request) } })),
    placeholderData: keepPreviousData,
    meta: { page: true },
  });
export const networkQuery = (id: string) =>
  queryOptions({
    queryKey: [...oneKey(id), 'network'],
    queryFn: () => unwrap(api.GET('/api/networks/{id}', at(id))),
    // The form is filled from it once; it must be what the server holds.
    staleTime: 0,
    refetchOnWindowFocus: false,
    meta: { page: true },
  });
/** For system administrators: what belongs to the network, in numbers. */
export const overviewQuery = (id: string) =>
  queryOptions({ queryKey: [...oneKey(id), 'overview'], queryFn: () => unwrap(api.GET('/api/admin/networks/{id}', at(id))), staleTime: 0 });
export const networkOrganizationsQuery = (id: string, request: PageRequest) =>
  queryOptions({
    queryKey: [...oneKey(id), 'organizations', request],
    queryFn: () => unwrap(api.GET('/api/admin/networks/{id}/organizations', { params: { path: { id }, query: pageOf(request) } })),
    placeholderData: keepPreviousData,
  });
export const networkAdminsQuery = (id: string, request: PageRequest) =>
  queryOptions({
    queryKey: [...oneKey(id), 'admins', request],
    queryFn: () => unwrap(api.GET('/api/admin/networks/{id}/admins', { params: { path: { id }, query: pageOf(request) } })),
    placeholderData: keepPreviousData,
  });

/** Organizations of the installation whose name begins so. */
export const organizationChoicesQuery = (search: string) =>
  queryOptions({
    queryKey: ['suggest', 'organizations', search],
    queryFn: async () =>
      (await unwrap(api.GET('/api/organizations', { params: { query: { search, pageNumber: 1, pageSize: 25 } }, ...quiet }))).items,
    placeholderData: keepPreviousData,
  });

const accountKey = (id: string) => [...oneKey(id), 'serviceAccount'];
/** None, or one that could not be read: an error counts as none, but nothing is offered that would end a token nobody saw. */
export type AccountState = { account: ServiceAccount | null; failed: boolean };
export const serviceAccountQuery = (id: string) =>
  queryOptions({
    queryKey: accountKey(id),
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

const changed = () => queryClient.invalidateQueries({ queryKey: networksKey });
const listsChanged = async () => {
  await Promise.all([
    changed(),
    queryClient.invalidateQueries({ queryKey: ['reference', 'networks'] }),
    queryClient.invalidateQueries({ queryKey: ['organizations'] }),
  ]);
};
const show = (id: string, account: ServiceAccount | null) =>
  queryClient.setQueryData<AccountState>(accountKey(id), { account, failed: false });

export async function createNetwork(name: string) {
  const created = await unwrap(api.POST('/api/networks', { body: { name } }));
  await listsChanged();
  return created;
}
export async function renameNetwork(id: string, name: string, version: number) {
  const saved = await unwrap(api.PUT('/api/networks/{id}', { ...at(id), body: { name, version } }));
  queryClient.setQueryData(networkQuery(id).queryKey, saved);
  await listsChanged();
  return saved;
}
export async function deleteNetwork(id: string) {
  await unwrap(api.DELETE('/api/networks/{id}', at(id)));
  queryClient.removeQueries({ queryKey: oneKey(id) });
  await listsChanged();
}
export async function addOrganization(id: string, organizationId: string) {
  await unwrap(api.POST('/api/admin/networks/{id}/organizations', { ...at(id), body: { organizationId } }));
  await listsChanged();
}
export async function removeOrganization(id: string, orgId: string) {
  await unwrap(api.DELETE('/api/admin/networks/{id}/organizations/{orgId}', { params: { path: { id, orgId } } }));
  await listsChanged();
}
export async function addAdmin(id: string, userName: string) {
  const added = await unwrap(api.POST('/api/admin/networks/{id}/admins', { ...at(id), body: { userName } }));
  await changed();
  return added;
}
export async function removeAdmin(id: string, adminId: string) {
  await unwrap(api.DELETE('/api/admin/networks/{id}/admins/{adminId}', { params: { path: { id, adminId } } }));
  await changed();
}
/** Creates the account, or gives it a new token. The token is shown this once and kept nowhere. */
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
