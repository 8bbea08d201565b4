import { IconWebhook } from '@tabler/icons-react';
import type { Screen } from '@/app/screens';

const access = { roles: ['Administrator'] };

export const webhookScreens: Screen[] = [
  { route: '/account/settings/webhooks', title: 'Webhooks', access, nav: { group: 'Administration', icon: IconWebhook, order: 7 } },
  { route: '/account/settings/webhooks/$id', title: 'Webhook deliveries', access },
];
