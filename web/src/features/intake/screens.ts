import { useQuery } from '@tanstack/react-query';
import { IconInbox } from '@tabler/icons-react';
import type { Screen } from '@/app/screens';
import { unfilteredViewsQuery } from '@/domain/messaging/intakeList';

const access = { roles: ['User', 'Administrator'] };
const useUnread = () => useQuery(unfilteredViewsQuery()).data?.unread;

export const intakeScreens: Screen[] = [
  { route: '/intake', title: 'Intake', access, nav: { group: 'Work', icon: IconInbox, useCount: useUnread } },
  { route: '/intake/$id', title: 'Message', access },
];
