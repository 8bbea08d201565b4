import { IconChecklist } from '@tabler/icons-react';
import type { Screen } from '@/app/screens';

export const setupScreens: Screen[] = [
  { route: '/admin/setup', title: 'Setup', access: { roles: ['SysAdmin'] }, nav: { group: 'Platform', icon: IconChecklist } },
];
