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
  serviceAccountViews,
  unroute,
  wide,
  withServiceAccounts,
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
      await expect(page.getByRole('list', { name: 'Test results' })).toBeVisible();
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
    name: 'a certificate is revoked',
    opens: ['Domain'],
    show: async (page) => {
      await button(page, 'More for the certificate').click();
      await page.getByRole('menuitem', { name: 'Revoke and replace' }).click();
      return dialog(page, 'Revoke Certificate');
    },
  },
  {
    name: 'a new Direct address',
    opens: ['EditDialog'],
    show: async (page) => {
      await button(page, 'Request address').click();
      return dialog(page, 'Request a Direct address');
    },
  },
  {
    name: 'another name',
    opens: ['EditDialog'],
    show: async (page) => {
      await fromRowMenu(page, 'Edit');
      await expect(page.getByRole('button', { name: 'Save Changes' })).toBeEnabled();
      return dialog(page, 'Edit Direct address');
    },
  },
  {
    name: 'retire an address',
    show: async (page) => {
      await fromRowMenu(page, 'Retire');
      return dialog(page, 'Retire Direct address');
    },
  },
  ...[['bundles', 'Add bundle', 'Add a trust bundle'] as const, ['anchors', 'Add anchor', 'Add a trust anchor'] as const].map(
    ([list, label, title]): View => ({
      name: `a new one of its trust ${list}`,
      fresh: true,
      show: async (page) => {
        await page.getByText(`Trust ${list}`, { exact: true }).click();
        await button(page, label).first().click();
        return dialog(page, title);
      },
    }),
  ),
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
  { name: 'row menu', opens: ['BodyRow'], at: wide, show: firstRowMenu },
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
    name: 'import with what is wrong',
    opens: ['EditDialog'],
    show: async (page) => {
      await button(page, 'Import').click();
      const opened = dialog(page, 'Import Directory Entries from the FHIR Directory');
      await opened.getByRole('button', { name: 'Import' }).click();
      await expect(opened.getByText('Please enter at least one OID.')).toBeVisible();
    },
    after: (page) => dialog(page, 'Import Directory Entries from the FHIR Directory').getByRole('button', { name: 'Cancel' }).click(),
  },
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
/** A section with a value that is refused. */
const settingsChanged = (label: string, value: string, error: string): View => ({
  name: 'a value that is refused',
  fresh: true,
  show: async (page) => {
    await page.getByRole('textbox', { name: label }).fill(value);
    await button(page, 'Save Changes').first().click();
    await expect(page.getByText(error)).toBeVisible();
  },
});
const GENERATED = '**/api/admin/generated_reports?*';
const generated = (state: string, name: string) => ({
  id: `0192f0a0-0000-7000-8000-${name.length.toString().padStart(12, '0')}`,
  name,
  fileName: `${name.toLowerCase()}-2026-11-19.csv`,
  start: '2026-10-19T00:00:00Z',
  end: '2026-11-19T23:59:59Z',
  state,
  requestedBy: 'ops@carepost.example',
  sizeBytes: 4_200_000,
  createDate: '2026-11-19T08:14:00Z',
  expirationDate: '2026-11-26T08:14:00Z',
});
const generatedViews: View[] = [
  {
    name: 'reports ready, being made and failed',
    show: async (page) => {
      const items = [generated('Ready', 'Messages'), generated('Processing', 'Devices'), generated('Failed', 'Users')];
      await page.route(GENERATED, (route) => route.fulfill({ json: { items, totalCount: 3, totalIsCapped: false } }));
      await page.reload();
      await expect(page.getByText('In progress').first()).toBeVisible();
    },
    after: unroute,
  },
  {
    name: 'what is asked of a report',
    opens: ['EditDialog'],
    show: async (page) => {
      await button(page, 'Generate').click();
      const opened = dialog(page, 'Generate report');
      await opened.getByRole('combobox', { name: 'Report' }).click();
      await page.getByRole('option', { name: 'Messages' }).click();
      await opened.getByRole('textbox', { name: 'Start Date' }).fill('');
      await opened.getByRole('button', { name: 'Generate' }).click();
      await expect(opened.locator('[aria-invalid="true"]').first()).toBeVisible();
      return opened;
    },
  },
  {
    name: 'not loaded',
    show: async (page) => {
      await failing(page, GENERATED);
      await page.reload();
      await expect(page.getByRole('heading', { name: 'The reports could not be loaded' })).toBeVisible();
    },
    after: unroute,
  },
];
const reportsViews: View[] = [
  {
    name: 'devices',
    opens: ['DevicesReportDialog'],
    show: async (page) => {
      await button(page, /^Devices/).click();
      return dialog(page, 'Devices');
    },
  },
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
    opens: ['OrganizationsReportDialog'],
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
  '/admin/dashboard/messaging/': (['ops', 'rita'] as const).map((as) => ({
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
  '/admin/generatedreports': {
    as: 'ops',
    path: () => '/admin/generatedreports',
    ready: heading('Generated Reports'),
    views: generatedViews,
  },
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
      about: 'settings',
      path: (data) => `/admin/organizations/${data.organization}/settings`,
      ready: (page) => page.getByRole('heading', { name: 'Documents' }),
      views: [settingsChanged('Minutes of inactivity until sign-out', '99', 'Please enter 5 to 30 minutes.')],
    },
    {
      as: 'ops',
      about: 'service accounts',
      path: (data) => `/admin/organizations/${data.organization}/serviceaccount`,
      ready: (page) => page.getByRole('textbox', { name: 'Service account limit' }),
      views: [
        ...serviceAccountViews,
        {
          name: 'allowed addresses',
          show: async (page) => {
            await withServiceAccounts(page);
            await fromRowMenu(page, 'Allowed Addresses');
            return dialog(page, 'Allowed Addresses');
          },
          after: unroute,
        },
      ],
    },
    {
      as: 'ops',
      about: 'QHIN',
      path: (data) => `/admin/organizations/${data.organization}/qhin`,
      ready: (page) => page.getByRole('checkbox', { name: 'The organization takes part' }),
      views: [
        {
          name: 'what is required of it',
          fresh: true,
          show: async (page) => {
            await page.getByRole('checkbox', { name: 'The organization takes part' }).check();
            await button(page, 'Save Changes').click();
            await expect(page.getByText('Please enter the name of the QHIN.')).toBeVisible();
          },
        },
      ],
    },
    {
      as: 'ops',
      about: 'IP addresses',
      path: (data) => `/admin/organizations/${data.organization}/ipaddresses`,
      ready: (page) => page.getByRole('checkbox', { name: 'Only these addresses are allowed' }),
      views: [
        {
          name: 'without an address',
          fresh: true,
          show: async (page) => {
            await page.getByRole('checkbox', { name: 'Only these addresses are allowed' }).check();
            await button(page, 'Save Changes').click();
            await expect(page.getByText('Please enter at least one address, or allow all.')).toBeVisible();
          },
        },
        {
          name: 'not loaded',
          show: async (page) => {
            await failing(page, '**/api/account/settings/security?*');
            await page.reload();
            await expect(page.getByRole('heading', { name: 'The addresses could not be loaded' })).toBeVisible();
          },
          after: unroute,
        },
      ],
    },
    {
      as: 'ops',
      about: 'saved addresses',
      path: (data) => `/admin/organizations/${data.organization}/addresses`,
      ready: (page) => page.getByRole('textbox', { name: 'Direct addresses' }),
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
