import type { Page } from '@playwright/test';
import { expect } from '../support';
import { area, button, dialog, firstMenu, firstRowMenu, fromRowMenu, narrow, rowsOf, unroute, type View } from './kit';

/** A call as the fax log tells it. */
export const CALL = {
  id: '01a1fd08-6075-7265-ae99-30d6ee3abf79',
  direction: 'Sent',
  at: '2026-11-20T15:04:00Z',
  ownNumber: '740-555-0110',
  otherNumber: '740-555-0120',
  otherId: '',
  attempt: 1,
  provider: 'embedded',
  pages: 2,
  ofPages: 3,
  rate: 14400,
  seconds: 42,
  outcome: 'RemoteHangUp',
  words: "The recipient's fax machine ended the call early.",
};
const faxLogViews: View[] = [
  {
    name: 'calls',
    show: async (page) => {
      await page.route('**/api/fax/log', (route) => route.fulfill({ json: { items: [CALL], totalCount: 1, totalIsCapped: false } }));
      await page.goto('/account/fax');
      await expect(page.getByText('Remote hang-up').first()).toBeVisible();
    },
    after: unroute,
  },
  {
    name: 'nothing found',
    show: async (page) => {
      await page.getByLabel('Search numbers').fill('000000');
      await expect(page.getByRole('heading', { name: 'No call matches' })).toBeVisible();
    },
    after: (page) => button(page, 'Show all').click(),
  },
];
/** The message as if it had gone by fax. */ export const accountMenu = (page: Page) => button(page, 'More for Within this installation');
const faxNumberViews: View[] = [
  { name: 'card menu', at: narrow, show: firstRowMenu },
  {
    name: 'add a number',
    opens: ['NumberDialog'],
    show: async (page) => {
      await button(page, 'Add number').click();
      return dialog(page, 'Add fax number');
    },
  },
  {
    name: 'delete a number',
    opens: ['NumbersTab'],
    show: async (page) => {
      await fromRowMenu(page, 'Delete');
      return dialog(page, 'Delete the fax number?');
    },
  },
  {
    name: 'actions for the account',
    opens: ['FaxAccounts'],
    show: async (page) => {
      await accountMenu(page).click();
      return page.getByRole('menuitem', { name: 'Delete account' });
    },
  },
  {
    name: 'delete the account',
    opens: ['FaxAccounts'],
    show: async (page) => {
      await accountMenu(page).click();
      await page.getByRole('menuitem', { name: 'Delete account' }).click();
      return dialog(page, 'Delete the fax account?');
    },
  },
  {
    name: 'an account at a service',
    opens: ['AccountForm'],
    show: async (page) => {
      await button(page, 'Add account eFax').click();
      return dialog(page, 'eFax account');
    },
  },
  {
    name: 'where a service may call',
    opens: ['CallbackDialog'],
    show: async (page) => {
      const callbackUrl = 'https://carepost.example/api/fax/callbacks/1f8a';
      await page.route('**/api/efax/account**', (route) => route.fulfill({ json: { callbackUrl } }));
      await button(page, 'Add account eFax').click();
      for (const label of ['Application ID', 'Application key', 'User ID']) await page.getByLabel(label).fill('abc');
      await button(page, 'Save').click();
      await expect(page.getByText(callbackUrl)).toBeVisible();
    },
    after: unroute,
  },
];
const UNKNOWN = {
  id: '01a1fd08-fca9-7499-a6cf-4e686fef5c7d',
  organizationId: '01a1fd08-fca9-7499-a6cf-4e686fef5c7e',
  organizationName: 'Summit Orthopedics',
  called: '740-555-0160',
  caller: '740-555-0110',
  senderId: '+17405550110',
  pages: 2,
  receivedAt: '2026-11-20T15:04:00Z',
};
const unknownFax = async (page: Page) => {
  const queue = { items: [UNKNOWN], totalCount: 1, totalIsCapped: false };
  await page.route('**/api/admin/faxqueue?*', (route) => route.fulfill({ json: queue }));
  await page.route('**/api/admin/documentsources?*', (route) =>
    route.fulfill({ json: { items: [], totalCount: 0, totalIsCapped: false } }),
  );
  await page.goto('/admin/fax');
  await expect(firstMenu(page)).toBeVisible();
};
const faxQueueViews: View[] = [
  {
    name: 'assign',
    opens: ['AssignFaxDialog'],
    show: async (page) => {
      await unknownFax(page);
      await fromRowMenu(page, 'Assign to a number');
      return dialog(page, 'Fax from 740-555-0110');
    },
    after: unroute,
  },
  {
    name: 'take out',
    opens: ['DiscardFaxDialog'],
    show: async (page) => {
      await unknownFax(page);
      await fromRowMenu(page, 'Remove from the queue');
      return dialog(page, 'Fax from 740-555-0110');
    },
    after: unroute,
  },
];

/** Fax log, numbers and settings, and the queue of faxes that nobody could place. */
export const fax = area({
  '/account/fax/': { as: 'dana', path: () => '/account/fax', ready: (page) => button(page, 'Save as CSV'), views: faxLogViews },
  '/account/fax/numbers': {
    as: 'dana',
    path: () => '/account/fax/numbers',
    ready: rowsOf('Fax numbers'),
    views: faxNumberViews,
  },
  '/account/fax/settings': {
    as: 'dana',
    path: () => '/account/fax/settings',
    ready: (page) => button(page, 'Save settings'),
    views: [
      {
        name: 'errors',
        show: async (page) => {
          await page.getByLabel('Area code').fill('7');
          await button(page, 'Save settings').click();
          await expect(page.getByText('An area code has three digits.')).toBeVisible();
        },
      },
    ],
  },
  '/admin/fax': { as: 'ops', path: () => '/admin/fax', ready: (page) => page.getByRole('heading', { level: 1 }), views: faxQueueViews },
});
