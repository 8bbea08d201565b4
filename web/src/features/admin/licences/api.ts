import { quiet, rawFetch } from '@/api/client';
import { itemsOf, queryOf, refresh, reshaped } from '@/api/query';
import type { License, LicenseList } from '@/api/types';
import { queryClient } from '@/app/session';

const LIST = '/api/adminlicenses';
const EXPIRING_DAYS = 60;
const DAY_MS = 86_400_000;

/** Columns of the list by the fields of the API. */
export const SORTED_BY = {
  licenseType: 'LicenseType',
  organization: 'Organization',
  connectorName: 'ConnectorName',
  issuedDate: 'IssuedDate',
  expirationDate: 'ExpirationDate',
} as const;

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** The filter of the list: search words, and whether only licences that expire in the next 60 days. */
export function filterOf(search: string | undefined, isExpiring: boolean, now: Date): string | undefined {
  const until = new Date(now.getTime() + EXPIRING_DAYS * DAY_MS);
  const clauses = [
    search && `contains(Organization,${quoted(search)})`,
    isExpiring && `ExpirationDate ge ${now.toISOString()} and ExpirationDate le ${until.toISOString()}`,
  ];
  return clauses.filter(Boolean).join(' and ') || undefined;
}

export type LicenceRow = License & { id: string };

type Request = { filter?: string; orderby?: string; top: number; skip: number };
export const licencesQuery = ({ filter, orderby, top, skip }: Request) =>
  reshaped(
    queryOf('get', LIST, { params: { query: { $filter: filter, $orderby: orderby, $top: top, $skip: skip } } }),
    ({ Items, Count }) => ({
      items: Items.map((licence): LicenceRow => ({ ...licence, id: licence.Id })),
      totalCount: Count,
      totalIsCapped: false,
    }),
  );

export const appsQuery = itemsOf(queryOf('get', '/api/admin/apps', { params: { query: { size: 5000 } }, ...quiet }));

/** Issues licences, as browsers send forms. */
export async function issueLicences(form: Record<string, string>): Promise<License[]> {
  const response = await rawFetch('/api/licenses/issue', { method: 'POST', body: new URLSearchParams(form) });
  return ((await response.json()) as LicenseList).Items;
}

export const refreshLicences = () => refresh(queryClient, LIST);
