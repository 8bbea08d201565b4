import { useQuery } from '@tanstack/react-query';
import { IconInbox, IconWritingSign } from '@tabler/icons-react';
import type { Screen } from '@/app/screens';
import { unfilteredViewsQuery } from '@/domain/messaging/intakeList';
import { waitingSignaturesQuery } from '@/domain/messaging/signatures/api';

const access = { roles: ['User', 'Administrator'] };
const useToSign = () => useQuery(waitingSignaturesQuery).data?.totalCount;
const useUnread = () => useQuery(unfilteredViewsQuery()).data?.unread;

export const intakeScreens: Screen[] = [
  { route: '/intake', title: 'Intake', access, nav: { group: 'Work', icon: IconInbox, useCount: useUnread } },
  { route: '/intake/filedbyrule', title: 'Filed by rule', access },
  { route: '/intake/$id', title: 'Message', access },
  {
    route: '/signatures',
    title: 'Signatures',
    access,
    nav: { group: 'Work', icon: IconWritingSign, order: 9, useCount: useToSign },
  },
];
