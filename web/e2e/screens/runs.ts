import type { Page } from '@playwright/test';
import { expect } from '../support';
import { area, button, dialog, failing, type Screen, tab, unroute, type View } from './kit';

const firstMore = (page: Page) => button(page, /^More about/).first();

const runViews: View[] = [
  {
    name: 'a workflow with its steps',
    show: async (page) => {
      await firstMore(page).click();
      await expect(page.getByRole('region', { name: 'Message', exact: true })).toBeVisible();
    },
  },
  {
    name: 'not loaded',
    show: async (page) => {
      await failing(page, '**/api/diagnostics/messaging/workflows?*');
      await page.reload();
      await expect(page.getByRole('heading', { name: 'The workflows could not be loaded' })).toBeVisible();
    },
    after: unroute,
  },
];
const runs = (path: string): Screen => ({ as: 'ops', path: () => path, ready: firstMore, views: runViews });

/** The operators' screens of workflows and messages. */
export const runScreens = area({
  '/admin/workflows': runs('/admin/workflows'),
  '/admin/dashboard/messaging/workflows': runs('/admin/dashboard/messaging/workflows'),
  '/admin/messages': {
    as: 'ops',
    path: () => '/admin/messages',
    ready: firstMore,
    views: [
      {
        name: 'the workflow of a message',
        show: async (page) => {
          await firstMore(page).click();
          await expect(page.getByRole('tabpanel', { name: 'Workflows' })).toBeVisible();
        },
      },
      {
        name: 'names for a reason',
        opens: ['NamesDialog'],
        show: async (page) => {
          await page.reload();
          await firstMore(page).click();
          await tab(page, 'Attachments').click();
          await button(page, 'Show names').click();
          const opened = dialog(page, 'Show names');
          await opened.getByRole('button', { name: 'Show' }).click();
          await expect(opened.locator('[aria-invalid="true"]')).toBeVisible();
          return opened;
        },
      },
      {
        name: 'the events of a message',
        show: async (page) => {
          await page.reload();
          await firstMore(page).click();
          await tab(page, 'Events').click();
          await expect(page.getByRole('tabpanel', { name: 'Events' })).toBeVisible();
        },
      },
      {
        name: 'not loaded',
        show: async (page) => {
          await failing(page, '**/odata/mailmessages?*');
          await page.reload();
          await expect(page.getByRole('heading', { name: 'The messages could not be loaded' })).toBeVisible();
        },
        after: unroute,
      },
    ],
  },
  '/admin/statistics': {
    as: 'ops',
    path: () => '/admin/statistics',
    ready: (page) => page.getByRole('img', { name: /^Messages:/ }),
    views: [
      {
        name: 'not loaded',
        show: async (page) => {
          await failing(page, '**/api/diagnostics/stats?*');
          await page.reload();
          await expect(page.getByRole('heading', { name: 'The statistics could not be loaded' })).toBeVisible();
        },
        after: unroute,
      },
    ],
  },
});
