import type { Locator, Page } from '@playwright/test';
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

/** Something that a person can open or bring about on a screen. */
export type View = {
  name: string;
  /** Components whose dialog, drawer, menu or popover this opens: see `layersIn` of the test. */
  opens?: string[];
  /** Both wide and narrow unless told. */
  at?: Size[];
  /** Begins with the screen as it loads. */
  fresh?: boolean;
  /** Brings it about; answers what lies over the screen, which Escape closes. */
  show: (page: Page, data: Data, as: (who: Who) => Promise<Page>) => Promise<Locator | void>;
  after?: (page: Page, as: (who: Who) => Promise<Page>) => Promise<unknown>;
};
export type Screen = {
  as: Who;
  /** What is special about it, when a route has several. */
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
export const failing = (page: Page, path: string) =>
  page.route(path, (route) => route.fulfill({ status: 500, json: { title: 'Internal error' } }));
export const hanging = (page: Page, path: string) => page.route(path, () => {});
export const unroute = (page: Page) => page.unrouteAll({ behavior: 'ignoreErrors' });
export const tab = (page: Page, name: string | RegExp) => page.getByRole('tab', { name });
export const pageDrawn = (page: Page) => page.locator('.react-pdf__Page canvas').first();
export type Route = keyof FileRoutesByFullPath;
export type Entry = Redirect | Screen | Screen[];
/** The routes of one area with what opens on each of them. */
export const area = <R extends Route>(screens: Record<R, Entry>) => screens;
