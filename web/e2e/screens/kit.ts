import type { Locator, Page } from '@playwright/test';
import { expect, leaveUnanswered } from '../support';
import type { FileRoutesByFullPath } from '../../src/routeTree.gen';
import type { Data } from '../data';

/** `nobody` has not signed in. */
export type Who = 'nobody' | 'dana' | 'priya' | 'sam' | 'nia' | 'mara' | 'ops' | 'rita';
export type Size = 'wide' | 'medium' | 'narrow';
export const SIZES: Record<Size, { width: number; height: number }> = {
  wide: { width: 1440, height: 900 },
  medium: { width: 1000, height: 800 },
  narrow: { width: 390, height: 844 },
};

/** A state that a person can open or cause on a screen. */
export type View = {
  name: string;
  /** Components whose dialog, drawer, menu or popover this opens: see `layersIn` of the test. */
  opens?: string[];
  /** Narrow unless told, where there is the least room for it. */
  at?: Size[];
  /** Begins with the screen as it loads. */
  fresh?: boolean;
  /** Opens it; answers the layer over the screen, which Escape closes. */
  show: (page: Page, data: Data, as: (who: Who) => Promise<Page>) => Promise<Locator | void>;
  after?: (page: Page, as: (who: Who) => Promise<Page>) => Promise<unknown>;
};
export type Screen = {
  as: Who;
  /** Its distinction, when a route has several. */
  about?: string;
  path: (data: Data) => string;
  /** In view once there is data. */
  ready: (page: Page) => Locator;
  views?: View[];
  /** Not meant for other sizes. */
  at?: Size[];
};
/** A route without a screen of its own. */
export type Redirect = { as: Who; path: (data: Data) => string; leadsTo: RegExp };

export const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' });
export const dialog = (page: Page, name: string | RegExp) => page.getByRole('dialog', { name, exact: true });
export const heading = (name: string | RegExp) => (page: Page) => page.getByRole('heading', { level: 1, name });
export const menu = (page: Page) => page.getByRole('menu');
/** Named by the button that opens it. */
export const popover = (page: Page) => page.locator('.mantine-Popover-dropdown').filter({ visible: true });
export const options = (page: Page) => page.getByRole('listbox').filter({ visible: true });
export const rowsOf = (name: string) => (page: Page) =>
  page.getByRole('table', { name }).locator('tbody tr[data-opens]').or(page.getByRole('list', { name }).getByRole('listitem')).first();
export const firstMenu = (page: Page) => button(page, /^Actions for/).first();
export const firstRowMenu = async (page: Page) => {
  await firstMenu(page).click();
  return menu(page);
};
export const fromRowMenu = async (page: Page, item: string) => {
  await firstMenu(page).click();
  await page.getByRole('menuitem', { name: item }).click();
};
export const wide: Size[] = ['wide'];
export const narrow: Size[] = ['narrow'];

/** The answer of a call, changed. */
export async function answer(page: Page, path: string, change: (body: Record<string, unknown>) => Record<string, unknown>) {
  await page.route(path, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: change((await response.json()) as Record<string, unknown>) });
  });
}
/** With an answer that is not asked for again: a failure of the server is, for seconds. */
export const failing = (page: Page, path: string) =>
  page.route(path, (route) => route.fulfill({ status: 400, json: { title: 'Not possible' } }));
export const hanging = (page: Page, path: string) => {
  leaveUnanswered(page);
  return page.route(path, () => {});
};
export const unroute = (page: Page) => {
  leaveUnanswered(page, false);
  return page.unrouteAll({ behavior: 'ignoreErrors' });
};
/** The service accounts of an organization, with one of everything. */
export const withServiceAccounts = async (page: Page) => {
  const account = {
    id: '0192f0a0-0000-7000-8000-000000000003',
    name: 'Interface engine',
    clientId: '6f1c2a9d7b0e4c53a8d1f2e3b4c5d6e7',
    serviceAccountEnabled: true,
    clientIpAddresses: ['203.0.113.9', '2001:db8::/32'],
    allowedAddressCount: 5,
    version: 3,
    createDate: '2026-11-02T09:00:00Z',
    tokenIssuedDate: '2026-11-02T09:00:00Z',
    lastUsedDate: '2026-11-19T08:14:00Z',
    lastUsedFrom: '203.0.113.9',
    lastRefusedDate: null,
    lastRefusedFrom: null,
  };
  const old = {
    ...account,
    id: '0192f0a0-0000-7000-8000-000000000004',
    name: 'Old engine',
    serviceAccountEnabled: false,
    lastUsedDate: null,
  };
  await page.route('**/api/organizations/*/serviceaccount', (route) => route.fulfill({ json: { items: [account, old] } }));
  await page.reload();
  await expect(firstMenu(page)).toBeVisible();
};
/** Layers that open on a list of service accounts. */
export const serviceAccountViews: View[] = [
  {
    name: 'a new service account with what is wrong',
    opens: ['EditDialog'],
    show: async (page) => {
      await button(page, 'Create').click();
      const opened = dialog(page, 'New service account');
      await opened.getByRole('button', { name: 'Create' }).click();
      await expect(opened.locator('[aria-invalid="true"]').first()).toBeVisible();
      return opened;
    },
  },
  {
    name: 'a service account',
    show: async (page) => {
      await withServiceAccounts(page);
      await fromRowMenu(page, 'Edit');
      return dialog(page, 'Edit service account');
    },
    after: unroute,
  },
  {
    name: 'a new token is asked for',
    opens: ['AskDialog'],
    show: async (page) => {
      await withServiceAccounts(page);
      await fromRowMenu(page, 'New token');
      return dialog(page, 'New Token');
    },
    after: unroute,
  },
  {
    name: 'service accounts not loaded',
    show: async (page) => {
      await failing(page, '**/api/organizations/*/serviceaccount');
      await page.reload();
      await expect(page.getByRole('heading', { name: 'The service accounts could not be loaded' })).toBeVisible();
    },
    after: unroute,
  },
];
export const tab = (page: Page, name: string | RegExp) => page.getByRole('tab', { name });
export const pageDrawn = (page: Page) => page.locator('.react-pdf__Page canvas').first();
export type Route = keyof FileRoutesByFullPath;
export type Entry = Redirect | Screen | Screen[];
/** The routes of one area with the layers of each. */
export const area = <R extends Route>(screens: Record<R, Entry>) => screens;
