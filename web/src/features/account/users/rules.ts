import { NEW_PERMISSIONS } from '@/api/permissions.gen';
import type { Permissions, User, UserInput } from '@/api/types';
import { formatCount, formatPhone } from '@/shared/format';
import { type Check, checkAll, DEFAULT_FIELD_ERROR, digitsOnly, isUsername, required, USERNAME_TEXTS } from '@/shared/rules/fields';
import type { RoleName } from './search';

export type UserValues = {
  userName: string;
  firstName: string;
  lastName: string;
  phoneNumber: string;
  /** '' while none is chosen. */
  roleName: string;
  jobFunctionId: string;
  permissions: Permissions;
};

/** Placeholder for a job function that is no longer offered, and is kept. */
export const KEPT_JOB = 'kept';

const atMost =
  (max: number): Check =>
  (value) =>
    value.trim().length <= max ? null : DEFAULT_FIELD_ERROR;

export const userChecks: Record<Exclude<keyof UserValues, 'permissions'>, Check> = {
  userName: (v) => (isUsername(v.trim()) ? null : USERNAME_TEXTS.notValid),
  firstName: checkAll(required('First Name is required.'), atMost(255)),
  lastName: checkAll(required('Last Name is required.'), atMost(255)),
  phoneNumber: (v) => (!v.trim() || digitsOnly(v).length === 10 ? null : DEFAULT_FIELD_ERROR),
  roleName: required('Role is required.'),
  jobFunctionId: required('Primary job function is required.'),
};

export const valuesOf = (user: User | null): UserValues => ({
  userName: user?.userName ?? '',
  firstName: user?.firstName ?? '',
  lastName: user?.lastName ?? '',
  phoneNumber: formatPhone(user?.phoneNumber) || (user?.phoneNumber ?? ''),
  roleName: user?.roleName ?? 'User',
  jobFunctionId: user ? (user.jobFunctionId ?? KEPT_JOB) : '',
  permissions: user?.permissions ?? NEW_PERMISSIONS,
});

export const inputOf = (v: UserValues, version: number | undefined): UserInput => ({
  userName: v.userName.trim(),
  firstName: v.firstName.trim(),
  lastName: v.lastName.trim(),
  phoneNumber: digitsOnly(v.phoneNumber),
  roleName: v.roleName as RoleName,
  jobFunctionId: v.jobFunctionId === KEPT_JOB ? null : v.jobFunctionId,
  permissions: v.permissions,
  version,
});

export const nameOf = (user: { firstName: string; lastName: string }) => `${user.firstName} ${user.lastName}`.trim();

/** The number of users counted by the plan. */
export const placesText = (users: number, allowed: number) =>
  allowed < 0 ? `${formatCount(users)} active` : `${formatCount(users)} of ${formatCount(allowed)} places`;
