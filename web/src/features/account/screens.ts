import {
  IconAt,
  IconDeviceLandlinePhone,
  IconFileSettings,
  IconFileText,
  IconFilterCog,
  IconHistory,
  IconKey,
  IconRobot,
  IconShieldLock,
  IconTags,
  IconUsers,
} from '@tabler/icons-react';
import { SINGLE_SIGN_ON } from '@/app/access';
import type { Screen } from '@/app/screens';

const access = { roles: ['Administrator'] };
const group = 'Administration';

export const accountScreens: Screen[] = [
  { route: '/account/profile', title: 'Profile' },
  {
    route: '/account/activity',
    title: 'Activity',
    access: { roles: ['User', 'Administrator'] },
    nav: { group: 'Work', icon: IconHistory, order: 9 },
  },
  { route: '/account/users', title: 'Users', access, nav: { group, icon: IconUsers, order: 2 } },
  { route: '/account/users/add', title: 'New user', access },
  { route: '/account/users/$id', title: 'User', access },
  { route: '/account/fax', title: 'Fax', access, nav: { group, icon: IconDeviceLandlinePhone, order: 3 } },
  { route: '/account/fax/numbers', title: 'Fax numbers', access },
  { route: '/account/fax/settings', title: 'Fax settings', access },
  { route: '/account/settings/security', title: 'Security', access, nav: { group, icon: IconShieldLock, order: 5 } },
  {
    route: '/account/settings/directaddresses',
    title: 'Direct addresses',
    access,
    nav: { group, icon: IconAt, order: 3 },
  },
  { route: '/account/settings/intakerules', title: 'Intake rules', access, nav: { group, icon: IconFilterCog, order: 4 } },
  { route: '/account/settings/documenttypes', title: 'Document types', access, nav: { group, icon: IconFileText, order: 4 } },
  { route: '/account/settings/releasetypes', title: 'Release types', access, nav: { group, icon: IconTags, order: 4 } },
  { route: '/account/settings/documents', title: 'Documents', access, nav: { group, icon: IconFileSettings, order: 4 } },
  {
    route: '/account/settings/sso',
    title: 'Single sign-on',
    access: { ...access, features: [SINGLE_SIGN_ON] },
    nav: { group, icon: IconKey, order: 6 },
  },
  {
    route: '/account/settings/serviceaccounts',
    title: 'Service accounts',
    access,
    nav: { group, icon: IconRobot, order: 8 },
  },
];
