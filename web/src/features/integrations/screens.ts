import { IconPlugConnected } from '@tabler/icons-react';
import type { Screen } from '@/app/screens';

export const integrationScreens: Screen[] = [
  {
    route: '/account/settings/integrations',
    title: 'Integrations',
    access: { roles: ['Administrator'] },
    nav: { group: 'Administration', icon: IconPlugConnected, order: 7 },
  },
];
