import { listSearch, type ListSearch } from '@/shared/table/listSearch';

export type OrganizationsSearch = ListSearch & { cancelling?: true };
/** Kept free of components: the route file is in the entry bundle. */
export const organizationsSearch = (raw: Record<string, unknown>): OrganizationsSearch => ({
  ...listSearch(raw),
  cancelling: raw.cancelling === true || raw.cancelling === 'true' || undefined,
});

export type TabName = 'details' | 'contact';
export const isTab = (value: string): value is TabName => value === 'details' || value === 'contact';
