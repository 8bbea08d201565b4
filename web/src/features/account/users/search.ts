import { type ListSearch, listSearch } from '@/shared/table/listSearch';

export const STATUSES = ['Active', 'Invited', 'Disabled'] as const;
export const ROLES = ['Administrator', 'User'] as const;
export type UserStatus = (typeof STATUSES)[number];
export type RoleName = (typeof ROLES)[number];

export type UsersSearch = ListSearch & { status?: UserStatus; role?: RoleName };

/** Kept free of components: the route file is in the entry bundle. */
export const usersSearch = (raw: Record<string, unknown>): UsersSearch => ({
  ...listSearch(raw),
  status: STATUSES.find((s) => s === raw.status),
  role: ROLES.find((r) => r === raw.role),
});
