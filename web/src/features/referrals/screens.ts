import { IconArrowsExchange } from '@tabler/icons-react';
import type { Screen } from '@/app/screens';

export const referralScreens: Screen[] = [
  {
    route: '/referrals',
    title: 'Referrals',
    access: { roles: ['User', 'Administrator'] },
    plan: 'releaseRoute',
    nav: { group: 'Work', icon: IconArrowsExchange, order: 8 },
  },
];
