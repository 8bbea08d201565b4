import { IconCreditCard } from '@tabler/icons-react';
import type { Screen } from '@/app/screens';

export const subscriptionScreens: Screen[] = [
  {
    route: '/account/settings/plan',
    title: 'Plan',
    access: { roles: ['Administrator'] },
    nav: { group: 'Administration', icon: IconCreditCard, order: 4 },
  },
];
