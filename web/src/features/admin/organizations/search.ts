import { listSearch, type ListSearch } from '@/shared/table/listSearch';

export type OrganizationsSearch = ListSearch & { cancelling?: true };
/** Kept free of components: the route file is in the entry bundle. */
export const organizationsSearch = (raw: Record<string, unknown>): OrganizationsSearch => ({
  ...listSearch(raw),
  cancelling: raw.cancelling === true || raw.cancelling === 'true' || undefined,
});

/** Tabs of the form, which a new organization has too. */
export type FormTab = 'details' | 'contact';
export type TabName = FormTab | 'direct' | 'fax' | 'carequality' | 'addresses' | 'info';
export const isFormTab = (value: string): value is FormTab => value === 'details' || value === 'contact';
export const isTab = (value: string): value is TabName =>
  ['direct', 'fax', 'carequality', 'addresses', 'info'].includes(value) || isFormTab(value);
