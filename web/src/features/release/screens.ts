import { IconSend2 } from '@tabler/icons-react';
import type { Screen } from '@/app/screens';
import { paths } from '@/shared/paths';

const access = { landingRoles: ['Administrator', 'User'] };
const whenActivated = { ...access, whenNotActivated: paths.release() };

export const releaseScreens: Screen[] = [
  { route: '/release', title: 'Release', access, plan: 'releaseRoute', nav: { group: 'Work', icon: IconSend2 } },
  { route: '/release/failed', title: 'Undelivered', access, plan: 'releaseRoute' },
  { route: '/release/new', title: 'New release', access: whenActivated, plan: 'releaseRoute' },
  { route: '/release/draft/$id', title: 'Draft', access, plan: 'releaseRoute' },
  { route: '/release/forward/draft/$id', title: 'Draft', access, plan: 'forward' },
  { route: '/release/forward/$id', title: 'Forward', access: whenActivated, plan: 'forward' },
  { route: '/release/reply/$id', title: 'Reply', access: whenActivated, plan: 'reply' },
  { route: '/release/$id', title: 'Sent message', access },
];
