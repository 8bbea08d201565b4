import type { Profile } from '@/api/types';
import { paths } from '@/shared/paths';

/** Access of roles to screens, and the landing page of a person. Pure; the guards in session.ts apply it. */

/** The feature that allows single sign-on. */
export const SINGLE_SIGN_ON = 'PointClickCareIdentityProvider';

const SYSTEM_ROLES = ['SysAdmin', 'SysAdminReporting'];

/** Passes when any of the roles (a list or a comma-separated text) matches. */
export function hasRole(profile: Pick<Profile, 'roles'>, roles: string | readonly string[]): boolean {
  const wanted = typeof roles === 'string' ? roles.split(',').map((r) => r.trim()) : roles;
  return wanted.some((r) => profile.roles.includes(r));
}

export const isSystemAdmin = (profile: Pick<Profile, 'roles'>) => hasRole(profile, SYSTEM_ROLES);
export const isAdministrator = (profile: Pick<Profile, 'roles'>) => hasRole(profile, 'Administrator');

/** Administrator takes precedence over the system roles; those who only work for a network land there. */
export function landingOf(profile: Pick<Profile, 'roles' | 'administerOfNetworkObjectId'>): string {
  if (isAdministrator(profile)) return paths.accountDashboard;
  if (isSystemAdmin(profile)) return paths.adminMessaging;
  if (profile.administerOfNetworkObjectId && !hasRole(profile, 'User')) return paths.network(profile.administerOfNetworkObjectId);
  return paths.intake();
}

export type Access = {
  /** Any of these roles; others go to /unauthorized. */
  roles?: readonly string[];
  /** Administrators of a network too, regardless of their roles. */
  networkAdmins?: boolean;
  /** Any of these; others go to their own landing page. */
  landingRoles?: readonly string[];
  brands?: readonly string[];
  features?: readonly string[];
  /** Where to go while the organization is not activated. */
  whenNotActivated?: string;
};

type Subject = Pick<Profile, 'roles' | 'brandId' | 'orgIsActivated' | 'administerOfNetworkObjectId'>;

/** Where to go instead, or null if the screen is allowed. */
export function refusal(need: Access, profile: Subject, features: ReadonlySet<string>): string | null {
  const isNetworkAdmin = Boolean(need.networkAdmins && profile.administerOfNetworkObjectId);
  if (need.roles && !hasRole(profile, need.roles) && !isNetworkAdmin) return paths.unauthorized;
  if (need.landingRoles && !hasRole(profile, need.landingRoles)) return landingOf(profile);
  if (need.brands && !need.brands.includes(profile.brandId ?? '')) return landingOf(profile);
  if (need.features && !need.features.every((f) => features.has(f)))
    return isAdministrator(profile) ? paths.accountDashboard : paths.intake();
  if (need.whenNotActivated && profile.orgIsActivated === false) return need.whenNotActivated;
  return null;
}
