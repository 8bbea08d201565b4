import { listSearch, type ListSearch } from '@/shared/table/listSearch';

export type OrganizationsSearch = ListSearch & { cancelling?: true };
/** Kept free of components: the route file is in the entry bundle. */
export const organizationsSearch = (raw: Record<string, unknown>): OrganizationsSearch => ({
  ...listSearch(raw),
  cancelling: raw.cancelling === true || raw.cancelling === 'true' || undefined,
});

/** Tabs of the form, which a new organization has too. */
export type FormTab = 'details' | 'contact';
/** Tabs that only an existing organization has. */
const SAVED_TABS = ['fax', 'direct', 'settings', 'serviceaccount', 'carequality', 'qhin', 'addresses', 'info', 'ipaddresses'] as const;
export type SavedTab = (typeof SAVED_TABS)[number];
export type TabName = FormTab | SavedTab;
/** Aliases of tabs: both fax services are on one. */
const ALIASES = new Map<string, SavedTab>([
  ['cq', 'carequality'],
  ['efax', 'fax'],
  ['westfax', 'fax'],
]);
/** The tab that the last part of an address opens, if there is one. */
export const tabOfPath = (part: string): TabName | undefined => (isTab(part) ? part : ALIASES.get(part));
export const isFormTab = (value: string): value is FormTab => value === 'details' || value === 'contact';
export const isTab = (value: string): value is TabName => (SAVED_TABS as readonly string[]).includes(value) || isFormTab(value);
