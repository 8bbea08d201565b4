import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, quiet, unwrap } from '@/api/client';
import { itemsOf, queryOf, refresh, refreshOnly } from '@/api/query';
import type { User, UserInput } from '@/api/types';
import { FRESH_REFERENCE_MS } from '@/app/queryClient';
import { queryClient } from '@/app/session';
import type { IdentityProof } from '@/domain/identity/ResetDialog';
import type { RoleName, UserStatus } from './search';

const at = (id: string) => ({ params: { path: { id } } });

export type UsersRequest = { search?: string; roleName?: RoleName; status?: UserStatus; page: number; pageSize: number; sort?: string };

export const usersQuery = (request: UsersRequest) =>
  queryOptions({
    ...queryOf('get', '/api/users', { params: { query: request } }),
    placeholderData: keepPreviousData,
    meta: { page: true },
  });

export const userQuery = (id: string) =>
  queryOptions({
    ...queryOf('get', '/api/users/{id}', at(id)),
    // The form is filled from it once, so it must be current.
    staleTime: 0,
    refetchOnWindowFocus: false,
    meta: { page: true },
  });

export const jobsQuery = queryOptions({
  ...itemsOf(queryOf('get', '/api/users/jobs')),
  staleTime: FRESH_REFERENCE_MS,
});

export const sourcesQuery = (id: string) =>
  queryOptions({
    ...itemsOf(queryOf('get', '/api/users/{id}/documentsources', at(id))),
    refetchOnWindowFocus: false,
  });

/** A person's activity, of one type or of all. */
export const eventsQuery = (id: string, type: string | null, pageStart: number, pageSize: number) =>
  queryOptions({
    ...(type
      ? queryOf('get', '/api/users/{id}/events/type', {
          params: { path: { id }, query: { eventTypes: type, pageStart, pageSize } },
          ...quiet,
        })
      : queryOf('get', '/api/users/{id}/events', { params: { path: { id }, query: { pageStart, pageSize } }, ...quiet })),
    placeholderData: keepPreviousData,
  });

/** The documents that a person signed. */
export const signaturesOfQuery = (id: string, pageStart: number, pageSize: number) =>
  queryOptions({
    ...queryOf('get', '/api/users/{id}/events/signatures', { params: { path: { id }, query: { pageStart, pageSize } }, ...quiet }),
    placeholderData: keepPreviousData,
  });

/** The signatures that a person requested. */
export const requestsQuery = (id: string, pageStart: number, pageSize: number) =>
  queryOptions({
    ...queryOf('get', '/api/users/{id}/requests', { params: { path: { id }, query: { pageStart, pageSize } }, ...quiet }),
    placeholderData: keepPreviousData,
  });

/** Whether the user name is taken. */
export const isUserNameTaken = async (username: string) =>
  (await unwrap(api.POST('/api/users/find', { params: { query: { username } }, ...quiet }))).exists;

const changed = () => Promise.all([refreshOnly(queryClient, '/api/users'), refresh(queryClient, '/api/users/{id}')]);

export async function saveUser(id: string | undefined, body: UserInput): Promise<User> {
  const saved = await (id ? unwrap(api.PUT('/api/users/{id}', { ...at(id), body })) : unwrap(api.POST('/api/users', { body })));
  await changed();
  return saved;
}
export async function setEnabled(id: string, enable: boolean) {
  await unwrap(api.POST('/api/users/{id}/enable', { params: { path: { id }, query: { enable } } }));
  await changed();
}
export async function removeUser(id: string) {
  await unwrap(api.DELETE('/api/users/{id}', at(id)));
  // The page of the user is being left.
  await refreshOnly(queryClient, '/api/users');
}
export const resetPassword = (id: string) => unwrap(api.POST('/api/users/resetpassword', { body: { id } }));
export const resendInvitation = (id: string, userName: string) =>
  unwrap(api.POST('/api/users/resendinvitation', { body: { id, userName } }));
export async function resetAuthenticators(id: string, identityProof: IdentityProof) {
  await unwrap(api.DELETE('/api/users/{id}/authenticators', { params: { path: { id }, query: { identityProof } } }));
  await changed();
}

export async function saveSources(id: string, organizationId: string, sources: string[]) {
  const body = sources.map((documentSourceId) => ({ organizationId, documentSourceId }));
  const saved = await unwrap(api.PUT('/api/users/{id}/documentsources', { ...at(id), body }));
  queryClient.setQueryData(sourcesQuery(id).queryKey, saved.items);
}
