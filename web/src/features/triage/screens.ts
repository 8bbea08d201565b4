import { IconArrowsSplit2 } from '@tabler/icons-react';
import type { Screen } from '@/app/screens';

const access = { roles: ['User', 'Administrator'] };

export const triageScreens: Screen[] = [
  { route: '/triage', title: 'Triage', access, plan: 'triage', nav: { group: 'Work', icon: IconArrowsSplit2 } },
  { route: '/triage/$id', title: 'Batch', access, plan: 'triage' },
];
