import { IconHelpCircle, IconLifebuoy } from '@tabler/icons-react';
import type { Screen } from '@/app/screens';

export const supportScreens: Screen[] = [
  {
    route: '/account/support',
    title: 'Support',
    access: { roles: ['Administrator', 'User'] },
    nav: { group: 'Work', icon: IconLifebuoy, order: 9 },
  },
  {
    route: '/admin/supporttickets',
    title: 'Support tickets',
    access: { roles: ['SysAdmin'] },
    nav: { group: 'Operate', icon: IconHelpCircle, order: 3 },
  },
];
