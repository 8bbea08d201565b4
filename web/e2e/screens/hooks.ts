import { expect } from '../support';
import { area, button, dialog, failing, fromRowMenu, heading, rowsOf, type Screen, unroute } from './kit';
import type { Page } from '@playwright/test';

const ID = '0198f1aa-7a10-7000-8000-000000000031';
const hook = {
  id: ID,
  name: 'Practice system',
  url: 'https://hooks.larkfield.example/carepost',
  events: ['message.received', 'message.failed'],
  authenticationType: 'Bearer',
  userName: '',
  hasCredential: true,
  isActive: true,
  failingSince: '2026-11-19T08:00:00Z',
  pausedAt: null,
  version: 1,
};
const delivery = {
  id: '0198f1aa-7a10-7000-8000-000000000032',
  event: 'message.received',
  status: 'Failed',
  attempts: 16,
  createdAt: '2026-11-19T09:00:00Z',
  triedAt: '2026-11-20T09:00:00Z',
  responseStatus: 503,
  milliseconds: 184,
  reason: 'The endpoint answered with status 503.',
};
const page1 = (...items: object[]) => ({ items, totalCount: items.length, totalIsCapped: false });

/** A webhook as the server would show it, with what was sent to it. */
async function withWebhook(page: Page) {
  await page.route('**/api/webhooks?*', (route) => route.fulfill({ json: page1(hook) }));
  await page.route(`**/api/webhooks/${ID}`, (route) => route.fulfill({ json: hook }));
  await page.route(`**/api/webhooks/${ID}/secret`, (route) =>
    route.fulfill({ json: { secret: 'whsec_dGhpcyBpcyBub3QgYSByZWFsIHNlY3JldA==' } }),
  );
  await page.route(`**/api/webhooks/${ID}/deliveries?*`, (route) => route.fulfill({ json: page1(delivery) }));
  await page.route(`**/api/webhooks/${ID}/deliveries/*`, (route) =>
    route.fulfill({
      json: { ...delivery, body: JSON.stringify({ type: delivery.event, data: { messageId: ID } }), response: 'Service unavailable' },
    }),
  );
  await page.reload();
}

const webhooks: Screen = {
  as: 'dana',
  path: () => '/account/settings/webhooks',
  ready: heading('Webhooks'),
  views: [
    {
      name: 'a new webhook with what is wrong',
      show: async (page) => {
        await button(page, 'Create').click();
        const opened = dialog(page, 'New webhook');
        await opened.getByRole('button', { name: 'Create' }).click();
        await expect(opened.locator('[aria-invalid="true"]').first()).toBeVisible();
        return opened;
      },
    },
    {
      name: 'a webhook',
      fresh: true,
      show: async (page) => {
        await withWebhook(page);
        await fromRowMenu(page, 'Edit');
        await expect(page.getByRole('button', { name: 'Save Changes' })).toBeEnabled();
        return dialog(page, 'Edit webhook');
      },
      after: unroute,
    },
    {
      name: 'the signing secret',
      opens: ['SecretDialog'],
      fresh: true,
      show: async (page) => {
        await withWebhook(page);
        await fromRowMenu(page, 'Signing secret');
        await expect(page.getByText('whsec_')).toBeVisible();
        return dialog(page, 'Signing secret');
      },
      after: unroute,
    },
    {
      name: 'not loaded',
      fresh: true,
      show: async (page) => {
        await failing(page, '**/api/webhooks?*');
        await page.reload();
        await expect(page.getByRole('heading', { name: 'The webhooks could not be loaded' })).toBeVisible();
      },
      after: unroute,
    },
  ],
};

const deliveries: Screen = {
  as: 'dana',
  path: () => `/account/settings/webhooks/${ID}`,
  ready: (page) => button(page, 'Send failed again'),
  views: [
    {
      name: 'a delivery',
      opens: ['DeliveryDialog'],
      fresh: true,
      show: async (page) => {
        await withWebhook(page);
        await rowsOf('Deliveries')(page).click();
        await expect(page.getByText('Service unavailable')).toBeVisible();
        return dialog(page, 'Message received');
      },
    },
    {
      name: 'send failed again',
      opens: ['ResendDialog'],
      show: async (page) => {
        await button(page, 'Send failed again').click();
        return dialog(page, 'Send failed again');
      },
      after: unroute,
    },
  ],
};

const support: Screen = {
  as: 'priya',
  path: () => '/account/support',
  ready: heading('Support'),
  views: [
    {
      name: 'a new ticket with what is wrong',
      show: async (page) => {
        await button(page, 'New ticket').click();
        const opened = dialog(page, 'New support ticket');
        await opened.getByRole('button', { name: 'Send' }).click();
        await expect(opened.locator('[aria-invalid="true"]').first()).toBeVisible();
        return opened;
      },
    },
  ],
};

const tickets: Screen = {
  as: 'ops',
  path: () => '/admin/supporttickets',
  ready: heading('Support tickets'),
  views: [
    {
      name: 'not loaded',
      show: async (page) => {
        await failing(page, '**/api/admin/supporttickets?*');
        await page.reload();
        await expect(page.getByRole('heading', { name: 'The support tickets could not be loaded' })).toBeVisible();
      },
      after: unroute,
    },
  ],
};

/** Webhooks and support. */
export const hooks = area({
  '/account/settings/webhooks/': webhooks,
  '/account/settings/webhooks/$id': deliveries,
  '/account/support': support,
  '/admin/supporttickets': tickets,
});
