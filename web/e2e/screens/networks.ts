import { expect } from '../support';
import {
  area,
  button,
  dialog,
  failing,
  firstRowMenu,
  fromRowMenu,
  heading,
  narrow,
  options,
  rowsOf,
  unroute,
  type Who,
  type View,
  type Screen,
} from './kit';

const networksViews: View[] = [
  { name: 'card menu', opens: ['Cards'], at: narrow, show: firstRowMenu },
  {
    name: 'new network',
    opens: ['EditDialog'],
    show: async (page) => {
      await button(page, 'Create').click();
      return dialog(page, 'New Network');
    },
  },
  {
    name: 'delete network',
    opens: ['AskDialog'],
    show: async (page) => {
      await fromRowMenu(page, 'Delete Network');
      return dialog(page, 'Delete Network');
    },
  },
  {
    name: 'nothing found',
    show: async (page) => {
      await page.getByLabel('Search networks').fill('zzqx');
      await expect(page.getByRole('heading', { name: 'No network matches' })).toBeVisible();
    },
    after: (page) => button(page, 'Show all').click(),
  },
  {
    name: 'not loaded',
    show: async (page) => {
      await failing(page, '**/api/networks?*');
      await page.goto('/admin/networks');
      await expect(page.getByRole('heading', { name: 'The networks could not be loaded' })).toBeVisible();
    },
    after: unroute,
  },
];
const organizationViews: View[] = [
  {
    name: 'add an organization',
    show: async (page) => {
      await button(page, 'Add organization').click();
      return dialog(page, 'Add an Organization');
    },
  },
  {
    name: 'organizations to choose from',
    show: async (page) => {
      await button(page, 'Add organization').click();
      await page.getByRole('combobox', { name: 'Organization' }).fill('lark');
      await expect(options(page).getByRole('option').first()).toBeVisible();
      return options(page);
    },
    after: (page) => button(page, 'Cancel').click(),
  },
];
const addAdministrator: View = {
  name: 'add an administrator',
  show: async (page) => {
    await button(page, 'Add administrator').click();
    return dialog(page, 'Add an Administrator');
  },
};
const featureViews: View[] = [
  {
    name: 'add a feature with what is wrong',
    show: async (page) => {
      await button(page, 'Add feature').click();
      const opened = dialog(page, 'Add a Feature');
      await opened.getByRole('button', { name: 'Add' }).click();
      await expect(opened.locator('[aria-invalid="true"]').first()).toBeVisible();
      return opened;
    },
  },
  {
    name: 'remove a feature',
    show: async (page) => {
      await button(page, 'Remove Referrals').click();
      return dialog(page, 'Remove feature');
    },
  },
];
const SERVICE_ACCOUNT = '**/serviceaccounts';
const serviceAccountViews: View[] = [
  {
    name: 'new token',
    opens: ['TokenDialog'],
    show: async (page) => {
      await button(page, 'New token').click();
      await button(page, 'Create new token').click();
      await expect(dialog(page, 'Token of the service account')).toBeVisible();
    },
    after: (page) => button(page, 'I have saved it').click(),
  },
  {
    name: 'addresses to mend',
    show: async (page) => {
      await page.getByRole('combobox', { name: 'Addresses' }).pressSequentially('somewhere,');
      await button(page, 'Save addresses').click();
      await expect(page.getByText('somewhere is neither an address nor a network.')).toBeVisible();
    },
    after: (page) => page.evaluate(() => sessionStorage.clear()),
  },
  {
    name: 'none',
    fresh: true,
    show: async (page) => {
      await page.route(SERVICE_ACCOUNT, (route) => route.fulfill({ status: 404, json: { title: 'Not Found' } }));
      await page.reload();
      await expect(button(page, 'Create service account')).toBeVisible();
    },
    after: unroute,
  },
];
const network = (as: Who, about: string, ready: Screen['ready'], views?: View[]): Screen => ({
  as,
  about: `${about} for ${as}`,
  path: (data) => `/networks/${data.network}/${about}`,
  ready,
  views,
});
const NETWORK = heading('Meridian Exchange');

/** Networks. */
export const networks = area({
  '/admin/networks/': { as: 'ops', path: () => '/admin/networks', ready: rowsOf('Networks'), views: networksViews },
  '/networks/$id/': { as: 'mara', path: (data) => `/networks/${data.network}`, leadsTo: /\/details$/ },
  '/networks/$id/$tab': [
    network('ops', 'details', NETWORK),
    network('ops', 'organizations', NETWORK, organizationViews),
    network('ops', 'administrators', NETWORK, [addAdministrator]),
    network('ops', 'features', (page) => page.getByRole('switch', { name: 'Referrals' }), featureViews),
    network('mara', 'details', (page) => page.getByRole('region', { name: 'Single sign-on' })),
    network('mara', 'organizations', (page) => page.getByText('The operator adds and removes organizations.')),
    network('mara', 'features', (page) => page.getByRole('listitem').filter({ hasText: 'SingleSignOn' }).first()),
    network('mara', 'serviceaccount', (page) => page.getByRole('region', { name: 'Allowed addresses' }), serviceAccountViews),
  ],
});
