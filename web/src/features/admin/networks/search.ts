export const TABS = [
  { value: 'details', label: 'Details' },
  { value: 'organizations', label: 'Organizations' },
  { value: 'administrators', label: 'Administrators' },
  { value: 'features', label: 'Features' },
  { value: 'serviceaccount', label: 'Service Account' },
] as const;

/** Kept free of components: the route file is in the entry bundle. */
export type NetworkTab = (typeof TABS)[number]['value'];
export const isNetworkTab = (value: string): value is NetworkTab => TABS.some((t) => t.value === value);
