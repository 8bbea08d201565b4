import type { Page } from '@playwright/test';
import { expect } from '../support';
import {
  area,
  button,
  dialog,
  failing,
  firstMenu,
  firstRowMenu,
  fromRowMenu,
  heading,
  menu,
  narrow,
  options,
  rowsOf,
  unroute,
  wide,
  type View,
} from './kit';
import { accountMenu } from './fax';

const setupViews: View[] = [
  {
    name: 'a step that was tested',
    show: async (page) => {
      const isNarrow = (await page.getByRole('combobox', { name: 'Step' }).count()) > 0;
      if (isNarrow) {
        await page.getByRole('combobox', { name: 'Step' }).click();
        await page.getByRole('option', { name: /Storage/ }).click();
      } else {
        await page.getByRole('list', { name: 'Steps' }).getByRole('button').filter({ hasText: 'Storage' }).click();
      }
      await button(page, /^Test/).click();
      await expect(page.getByRole('list', { name: 'What the test found' })).toBeVisible();
    },
  },
  {
    name: 'not loaded',
    show: async (page) => {
      await failing(page, '**/api/setup');
      await page.reload();
      await expect(page.getByRole('heading', { name: 'Setup could not be loaded' })).toBeVisible();
    },
    after: unroute,
  },
];
const directViews: View[] = [
  {
    name: 'a new Direct address',
    opens: ['EditDialog'],
    show: async (page) => {
      await button(page, 'Create').click();
      return dialog(page, 'New Direct address');
    },
  },
  {
    name: 'another name',
    opens: ['EditDialog'],
    show: async (page) => {
      await fromRowMenu(page, 'Rename');
      return dialog(page, 'Rename Direct address');
    },
  },
];
const addOid: View = {
  name: 'an alternate OID with what is wrong',
  show: async (page) => {
    await button(page, 'Add OID').click();
    const opened = dialog(page, 'Add Alternate Organization OID');
    await opened.getByRole('button', { name: 'Save' }).click();
    await expect(opened.locator('[aria-invalid="true"]').first()).toBeVisible();
    return opened;
  },
};

const organizationsViews: View[] = [
  { name: 'row menu', opens: ['DataTable'], at: wide, show: firstRowMenu },
  { name: 'card menu', opens: ['Cards'], at: narrow, show: firstRowMenu },
  ...[
    ['Delete Organization', 'DeleteOrganizationDialog'],
    ['Activation Status', 'ActivationDialog'],
  ].map(
    ([item, component]): View => ({
      name: item!,
      opens: [component!],
      show: async (page) => {
        await fromRowMenu(page, item!);
        return dialog(page, item!);
      },
    }),
  ),
  {
    name: 'clear cancellation',
    opens: ['ClearCancellationDialog'],
    show: async (page) => {
      await page.goto('/admin/organizations?cancelling=true');
      await fromRowMenu(page, 'Clear Cancellation');
      return dialog(page, 'Clear Cancellation');
    },
  },
  {
    name: 'nothing found',
    show: async (page) => {
      await page.getByLabel('Search organizations').fill('zzqx');
      await expect(page.getByRole('heading', { name: 'No organization matches' })).toBeVisible();
    },
    after: (page) => button(page, 'Show all').click(),
  },
  {
    name: 'not loaded',
    show: async (page) => {
      await failing(page, '**/api/organizations?*');
      await page.goto('/admin/organizations');
      await expect(page.getByRole('heading', { name: 'The organizations could not be loaded' })).toBeVisible();
    },
    after: unroute,
  },
];
const npi: View = {
  name: 'NPI search',
  opens: ['NpiDialog'],
  show: async (page) => {
    await button(page, 'NPI Search').click();
    return dialog(page, 'NPI Search');
  },
};
const choices: View = {
  name: 'choices',
  show: async (page) => {
    await page.getByRole('combobox', { name: 'State' }).click();
    return options(page);
  },
};
const invalid: View = {
  name: 'fields to mend',
  show: async (page) => {
    await button(page, 'Save Changes').click();
    await expect(page.getByText('There are invalid fields on this page.')).toBeVisible();
  },
};
const ENTRY = {
  id: '0192f0a0-0000-7000-8000-000000000002',
  responderType: 'ChildLocation',
  organizationId: '2.16.840.1.113883.3.9999.1',
  homeCommunityId: '',
  displayName: 'Larkfield West',
  legalName: '',
  otherNames: ['Larkfield Annex'],
  parentOrgId: '2.16.840.1.113883.3.9999',
  purposeOfUseCodes: ['TREAT'],
  address: '418 Orchard Lane',
  city: 'Harborline',
  state: 'OH',
  zipCode: '43998',
  country: 'US',
  isActive: false,
  initiatorOnly: false,
  isParent: false,
};
const ENTRIES = '**/api/admin/organizations/*/directoryentries';
const withEntry = async (page: Page) => {
  await page.route(ENTRIES, (route) => route.fulfill({ json: { items: [ENTRY] } }));
  await page.reload();
  await expect(firstMenu(page)).toBeVisible();
};
const carequalityViews: View[] = [
  {
    name: 'add an entry',
    opens: ['EditDialog'],
    show: async (page) => {
      await button(page, 'Add').click();
      return dialog(page, 'Add Directory Entry');
    },
  },
  {
    name: 'entries',
    show: async (page) => {
      await withEntry(page);
      return firstRowMenu(page);
    },
    after: unroute,
  },
  {
    name: 'activate an entry',
    show: async (page) => {
      await withEntry(page);
      await fromRowMenu(page, 'Activate');
      return dialog(page, 'Activate Directory Entry');
    },
    after: unroute,
  },
  {
    name: 'failed',
    show: async (page) => {
      await failing(page, ENTRIES);
      await page.reload();
      await expect(page.getByRole('heading', { name: 'The directory entries could not be loaded' })).toBeVisible();
    },
    after: unroute,
  },
];
const reportsViews: View[] = [
  {
    name: 'messages',
    opens: ['MessagesReportDialog'],
    show: async (page) => {
      await button(page, /^Messages/).click();
      await page.getByRole('textbox', { name: 'Start Date' }).fill('');
      await button(page, 'Download').click();
      await expect(page.getByText('There are invalid fields on this page.')).toBeVisible();
      return dialog(page, 'Messages');
    },
  },
  {
    name: 'unassigned addresses',
    opens: ['UnassignedAddressesDialog'],
    show: async (page) => {
      await button(page, /^Unassigned Addresses/).click();
      return dialog(page, 'Unassigned Addresses');
    },
  },
];

/** The console of the operator. */
export const operator = area({
  '/admin/': { as: 'ops', path: () => '/admin', leadsTo: /\/admin\/dashboard\/messaging$/ },
  '/admin/setup': { as: 'ops', path: () => '/admin/setup', ready: heading('Setup'), views: setupViews },
  '/admin/dashboard/messaging': (['ops', 'rita'] as const).map((as) => ({
    as,
    about: as,
    path: () => '/admin/dashboard/messaging',
    ready: heading('Messaging health'),
  })),
  '/admin/reports': (['ops', 'rita'] as const).map((as) => ({
    as,
    about: as,
    path: () => '/admin/reports',
    ready: heading('Reports'),
    views: as === 'ops' ? reportsViews : [],
  })),
  '/admin/organizations/': { as: 'ops', path: () => '/admin/organizations', ready: rowsOf('Organizations'), views: organizationsViews },
  '/admin/organizations/$id/': { as: 'ops', path: (data) => `/admin/organizations/${data.organization}`, leadsTo: /\/details$/ },
  '/admin/organizations/$id/$tab': [
    {
      as: 'ops',
      about: 'details',
      path: (data) => `/admin/organizations/${data.organization}/details`,
      ready: heading('Larkfield Family Medicine'),
      views: [choices, npi],
    },
    {
      as: 'ops',
      about: 'contact',
      path: (data) => `/admin/organizations/${data.organization}/contact`,
      ready: heading('Larkfield Family Medicine'),
    },
    {
      as: 'ops',
      about: 'Direct',
      path: (data) => `/admin/organizations/${data.organization}/direct`,
      ready: firstMenu,
      views: directViews,
    },
    {
      as: 'ops',
      about: 'carequality',
      path: (data) => `/admin/organizations/${data.organization}/carequality`,
      ready: (page) => page.getByRole('heading', { name: 'Directory entries' }),
      views: [...carequalityViews, addOid],
    },
    {
      as: 'ops',
      about: 'saved addresses',
      path: (data) => `/admin/organizations/${data.organization}/addresses`,
      ready: (page) => page.getByRole('combobox', { name: 'Direct addresses' }),
    },
    {
      as: 'ops',
      about: 'info',
      path: (data) => `/admin/organizations/${data.organization}/info`,
      ready: (page) => page.getByText('Active users'),
      views: [
        {
          name: 'not loaded',
          show: async (page) => {
            await failing(page, '**/api/organizations/*/info');
            await page.reload();
            await expect(page.getByRole('heading', { name: 'The facts could not be loaded' })).toBeVisible();
          },
          after: unroute,
        },
      ],
    },
    {
      as: 'ops',
      about: 'fax',
      path: (data) => `/admin/organizations/${data.organization}/fax`,
      ready: (page) => button(page, 'Add account HylaFAX'),
      views: [
        {
          name: 'actions for the account',
          show: (page) =>
            accountMenu(page)
              .click()
              .then(() => menu(page)),
        },
        {
          name: 'modems',
          opens: ['AccountForm'],
          show: async (page) => {
            await button(page, 'Add account HylaFAX').click();
            return dialog(page, 'HylaFAX account');
          },
        },
      ],
    },
  ],
  '/admin/organizations/add/': { as: 'ops', path: () => '/admin/organizations/add', leadsTo: /\/add\/details$/ },
  '/admin/organizations/add/$tab': [
    {
      as: 'ops',
      about: 'details',
      path: () => '/admin/organizations/add/details',
      ready: heading('Add Organization'),
      views: [npi, invalid],
    },
    { as: 'ops', about: 'contact', path: () => '/admin/organizations/add/contact', ready: heading('Add Organization') },
  ],
});
