import {
  IconActivityHeartbeat,
  IconAffiliate,
  IconBuildingHospital,
  IconCreditCard,
  IconDeviceLandlinePhone,
  IconFileSpreadsheet,
  IconInbox,
  IconKey,
  IconLayoutDashboard,
  IconSend2,
  IconShieldLock,
  IconUsers,
} from '@tabler/icons-react';
import type { Profile } from '@/api/types';
import { paths } from '@/shared/paths';
import type { Icon } from '@/shared/ui/states';
import { hasRole, isSystemAdmin, SINGLE_SIGN_ON } from '../access';

export type NavItem = {
  label: string;
  href: string;
  /** Screens at other addresses that belong to it too. */
  within?: string;
  icon: Icon;
  count?: 'unread';
  /** Only where it is on. */
  feature?: string;
};
export type NavGroup = { head?: string; items: NavItem[] };

/** The areas a person may use. */
export function navFor(profile: Profile): NavGroup[] {
  const groups: NavGroup[] = [];
  if (hasRole(profile, 'Administrator,User')) {
    groups.push({
      items: [
        { label: 'Intake', href: paths.intake(), icon: IconInbox, count: 'unread' },
        { label: 'Release', href: paths.release(), icon: IconSend2 },
      ],
    });
  }
  if (hasRole(profile, 'Administrator')) {
    groups.push({
      head: 'Administration',
      items: [
        { label: 'Dashboard', href: paths.accountDashboard, icon: IconLayoutDashboard },
        { label: 'Users', href: paths.users(), icon: IconUsers },
        { label: 'Fax', href: paths.fax(), icon: IconDeviceLandlinePhone },
        { label: 'Plan', href: paths.accountPlan, icon: IconCreditCard },
        { label: 'Security', href: paths.securitySettings, icon: IconShieldLock },
        { label: 'Single sign-on', href: paths.ssoSettings, icon: IconKey, feature: SINGLE_SIGN_ON },
      ],
    });
  }
  if (profile.administerOfNetworkObjectId && !hasRole(profile, 'SysAdmin')) {
    const details = paths.network(profile.administerOfNetworkObjectId);
    groups.push({
      head: 'Networks',
      items: [{ label: 'Your network', href: details, within: details.replace(/\/details$/, ''), icon: IconAffiliate }],
    });
  }
  if (isSystemAdmin(profile)) {
    groups.push({
      head: 'Operate',
      items: [
        { label: 'Messaging health', href: paths.adminMessaging, icon: IconActivityHeartbeat },
        { label: 'Reports', href: paths.adminReports, icon: IconFileSpreadsheet },
      ],
    });
  }
  if (hasRole(profile, 'SysAdmin')) {
    groups.push({
      head: 'Tenants',
      items: [
        { label: 'Organizations', href: paths.adminOrganizations(), icon: IconBuildingHospital },
        { label: 'Networks', href: paths.adminNetworks, within: '/networks', icon: IconAffiliate },
        { label: 'Unknown faxes', href: paths.adminFax, icon: IconDeviceLandlinePhone },
      ],
    });
  }
  return groups;
}

export const isCurrent = (href: string, pathname: string) => pathname === href || pathname.startsWith(`${href}/`);
