import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { ApiError, api, quiet, rawFetch, unwrap } from '@/api/client';
import { type ApiPath, itemsOf, queryOf, refresh, reshaped } from '@/api/query';
import type { ActivationRequest, Organization, OrganizationInput } from '@/api/types';
import { FRESH_REFERENCE_MS } from '@/app/queryClient';
import { queryClient } from '@/app/session';
import { madeName, saveFile } from '@/shared/saveFile';
import { SUBDOMAIN_ERROR } from './rules';

export type OrganizationsRequest = { cancelling?: boolean; search?: string; sortDir: 'asc' | 'desc'; pageNumber: number; pageSize: number };

const reference = { staleTime: FRESH_REFERENCE_MS };
const at = (id: string) => ({ params: { path: { id } } });

export const organizationsQuery = (request: OrganizationsRequest) =>
  queryOptions({
    ...queryOf('get', '/api/organizations', { params: { query: request } }),
    placeholderData: keepPreviousData,
    meta: { page: true },
  });
export const organizationQuery = (id: string) =>
  queryOptions({
    ...reshaped(queryOf('get', '/api/organizations/{id}', at(id)), (answer): Organization => {
      // With a user's id the same call returns a list, which is not meant here.
      if ('items' in answer) throw new Error('This organization does not exist.');
      return answer;
    }),
    // The form is filled from it once, so it must be current.
    staleTime: 0,
    refetchOnWindowFocus: false,
    meta: { page: true },
  });

/** Optional parts of the installation: API capture, and a customer-messaging service. */
export const configurationQuery = queryOptions({
  ...queryOf('get', '/api/configuration'),
  ...reference,
});

export const typesQuery = queryOptions({
  ...itemsOf(queryOf('get', '/api/organizations/types')),
  ...reference,
});
export const specialtiesQuery = queryOptions({
  ...itemsOf(queryOf('get', '/api/organizations/specialties')),
  ...reference,
});
export const brandsQuery = queryOptions({
  ...reshaped(queryOf('get', '/api/admin/brands', { params: { query: { pageSize: 100 } } }), ({ data }) => data),
  ...reference,
});
export const resellersQuery = queryOptions({
  ...itemsOf(queryOf('get', '/api/organizations/resellers')),
  ...reference,
});
export const plansQuery = (resellerId: string, organizationId: string | undefined) =>
  queryOptions({
    ...itemsOf(queryOf('get', '/api/organizations/plans', { params: { query: { resellerId: resellerId || undefined, organizationId } } })),
    ...reference,
  });
export const subscriptionQuery = (organizationId: string) => ({
  ...queryOf('get', '/api/subscriptionplans/subscriptions', { params: { query: { organizationId } } }),
  staleTime: 0,
});
export const purposesOfUseQuery = queryOptions({
  ...itemsOf(queryOf('get', '/api/query/purposesofuse')),
  ...reference,
});
/** All networks, however many pages they take. */
export const networksQuery = queryOptions({
  queryKey: ['all', '/api/networks' satisfies ApiPath],
  queryFn: async () => {
    const all: { id: string; name: string }[] = [];
    for (let page = 1; ; page++) {
      const { items, totalCount } = await unwrap(api.GET('/api/networks', { params: { query: { page, size: 100 } } }));
      all.push(...items);
      if (items.length === 0 || all.length >= totalCount) return all;
    }
  },
  ...reference,
});
/** The names of the features that an organization can have. */
export const featureNamesQuery = queryOptions({
  ...reshaped(queryOf('get', '/api/admin/features', { params: { query: { isOrganizationFeature: true, pageSize: 500 } } }), ({ items }) =>
    items.map((f) => f.name),
  ),
  ...reference,
});
/** The feature that lets operators manage the Direct domain of an organization. */
export const directFeatureQuery = reshaped(
  queryOf('get', '/api/admin/features', { params: { query: { search: 'DirectInterface', pageSize: 10 } }, ...quiet }),
  ({ items }) => items.find(({ name }) => name === 'DirectInterface') ?? null,
);
export const hispProvidersQuery = queryOptions({
  ...itemsOf(
    queryOf('get', '/api/admin/documentsources/documentsourceproviders', {
      params: { query: { pageNumber: 1, pageSize: 20, type: 'DirectMessaging' } },
    }),
  ),
  ...reference,
});

export const npiQuery = (npiNumber: string) =>
  queryOptions({
    ...itemsOf(queryOf('get', '/api/admin/organizations/npi', { params: { query: { npiNumber } } })),
    ...reference,
  });

/** Whether it is taken or not allowed. */
export async function isSubdomainRefused(subdomain: string, id: string | undefined): Promise<boolean> {
  const [{ exists }, { isValid }] = await Promise.all([
    unwrap(api.GET('/api/organizations/subdomain/exists', { params: { query: { id, subdomain } }, ...quiet })),
    unwrap(api.GET('/api/organizations/subdomain/isvalid', { params: { query: { organizationId: id, subdomain } }, ...quiet })),
  ]);
  return exists || !isValid;
}

const changed = () => refresh(queryClient, '/api/organizations');

/** Checks the subdomain once more before saving. */
export async function saveOrganization(id: string | undefined, body: OrganizationInput): Promise<Organization> {
  if (await isSubdomainRefused(body.subDomain ?? '', id))
    throw new ApiError(422, { title: 'Invalid subdomain', modelState: { subDomain: [SUBDOMAIN_ERROR] } });
  const saved = await (id
    ? unwrap(api.PUT('/api/organizations/{id}', { ...at(id), body }))
    : unwrap(api.POST('/api/organizations', { body })));
  await changed();
  return saved;
}

export async function deleteOrganization(id: string) {
  await unwrap(api.DELETE('/api/organizations/{id}', at(id)));
  queryClient.removeQueries({ queryKey: organizationQuery(id).queryKey });
  await changed();
}
export async function clearCancellation(id: string) {
  await unwrap(api.POST('/api/organizations/{id}/clearcancel', at(id)));
  await changed();
}
export async function setActivation({ id, ...body }: ActivationRequest & { id: string }) {
  await unwrap(api.PUT('/api/organizations/{id}/activate', { ...at(id), body }));
  await changed();
}
export async function setLogin(id: string, enable: boolean) {
  await unwrap(api.PUT('/api/organizations/{id}/enable', { ...at(id), body: { enable } }));
  await changed();
}
export async function setApiCapture(id: string, enable: boolean) {
  await unwrap(api.PUT('/api/organizations/{id}/apicapture', { ...at(id), body: { enable } }));
  await changed();
}
export async function exportDirectAddresses() {
  const response = await rawFetch('/api/admin/reports/directaddresses');
  saveFile(await response.blob(), madeName('direct-addresses', 'csv'));
}
export const syncOrganization = (id: string) => unwrap(api.POST('/api/organizations/{id}/sync', at(id)));
