import { IconActivityHeartbeat, IconLayoutDashboard } from '@tabler/icons-react';
import type { Screen } from '@/app/screens';

export const dashboardScreens: Screen[] = [
  {
    route: '/account/dashboard',
    title: 'Dashboard',
    access: { landingRoles: ['Administrator'] },
    nav: { group: 'Administration', icon: IconLayoutDashboard, order: 1 },
  },
  {
    route: '/admin/dashboard/messaging',
    title: 'Messaging health',
    access: { roles: ['SysAdmin', 'SysAdminReporting'] },
    nav: { group: 'Operate', icon: IconActivityHeartbeat },
  },
];
