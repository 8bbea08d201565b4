import { IconUserHeart } from '@tabler/icons-react';
import type { Screen } from '@/app/screens';

const access = { roles: ['User', 'Administrator'] } as const satisfies Screen['access'];

export const patientScreens: Screen[] = [
  {
    route: '/patients',
    title: 'Patients',
    access,
    nav: { group: 'Work', icon: IconUserHeart, order: 8 },
  },
  { route: '/patients/$id', title: 'Patient', access },
];
