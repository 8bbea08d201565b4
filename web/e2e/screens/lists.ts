import type { Page } from '@playwright/test';
import { expect } from '../support';
import { area, button, dialog, failing, fromRowMenu, heading, popover, rowsOf, type Screen, unroute, type View } from './kit';

type List = { path: string; title: string; noun: string; nouns: string; call: string; views?: View[] };

const QUARANTINED = {
  id: '01a1fd08-fca9-7499-a6cf-4e686fef5c7d',
  organizationId: '01a1fd08-fca9-7499-a6cf-4e686fef5c7e',
  organizationName: 'Summit Orthopedics',
  origin: 'Message',
  parentId: '01a1fd08-fca9-7499-a6cf-4e686fef5c7f',
  kind: 'pdf',
  sizeInBytes: 48_000,
  state: 'Quarantined',
  finding: 'Eicar-Test-Signature',
  since: '2026-11-20T15:04:00Z',
};
const quarantined = async (page: Page) => {
  const list = { items: [QUARANTINED], totalCount: 1, totalIsCapped: false };
  await page.route('**/api/admin/quarantine?*', (route) => route.fulfill({ json: list }));
  await page.goto('/admin/quarantine');
  await expect(page.getByText('Eicar-Test-Signature').first()).toBeVisible();
};

/** A list of the console and all that its description opens. */
const list = ({ path, title, noun, nouns, call, views = [] }: List): Screen => ({
  as: 'ops',
  path: () => path,
  ready: rowsOf(title),
  views: [
    {
      name: `a new ${noun} with what is wrong`,
      show: async (page) => {
        await button(page, 'Create').click();
        const opened = dialog(page, `New ${noun}`);
        await opened.getByRole('button', { name: 'Create' }).click();
        await expect(opened.locator('[aria-invalid="true"]').first()).toBeVisible();
        return opened;
      },
    },
    {
      name: `a ${noun}`,
      show: async (page) => {
        await fromRowMenu(page, 'Edit');
        await expect(page.getByRole('button', { name: 'Save Changes' })).toBeEnabled();
        return dialog(page, `Edit ${noun}`);
      },
    },
    {
      name: `delete a ${noun}`,
      show: async (page) => {
        await fromRowMenu(page, 'Delete');
        return dialog(page, `Delete ${noun}`);
      },
    },
    ...views,
    {
      name: 'nothing found',
      show: async (page) => {
        await page.getByLabel(`Search ${nouns}`).fill('zzqx');
        await expect(page.getByRole('heading', { name: `No ${noun} matches` })).toBeVisible();
      },
      after: (page) => button(page, 'Show all').click(),
    },
    {
      name: 'not loaded',
      show: async (page) => {
        await failing(page, `**${call}?*`);
        await page.reload();
        await expect(page.getByRole('heading', { name: `The ${nouns} could not be loaded` })).toBeVisible();
      },
      after: unroute,
    },
  ],
});

/** The form gave way to the list that it was opened from. */
const closeManaged = (page: Page) => button(page, 'Close').last().click();

const page = <T>(item: T) => ({ items: [item], totalCount: 1, totalIsCapped: false });
const bundles = page({
  id: '0198f1aa-7a10-7000-8000-000000000011',
  name: 'Community',
  url: 'https://community.example/bundle.p7b',
  requiresRevocation: false,
  anchors: 1,
  refreshedDate: '2026-11-18T09:00:00Z',
  lastError: 'The trust bundle could not be fetched: the server answered with status 404.',
});
const anchors = page({
  id: '0198f1aa-7a10-7000-8000-000000000012',
  bundleId: bundles.items[0]!.id,
  bundleName: 'Community',
  subject: 'CN=North Root, O=Partner Health',
  fingerprint: '5f'.repeat(32),
  notAfter: '2030-11-18T09:00:00Z',
  direction: 'Both',
  requiresRevocation: false,
  createdDate: '2026-11-18T09:00:00Z',
  version: 1,
});

const connections = page({
  id: '0198f1aa-7a10-7000-8000-000000000013',
  organizationId: '0198f1aa-7a10-7000-8000-000000000014',
  organizationName: 'Summit Orthopedics',
  integrationType: 'Hl7',
  name: 'Summit Chart',
  isActive: true,
  baseUrl: 'mllps://ehr.summit.example:2575',
  software: 'HL7 v2',
  failingSince: '2026-11-20T09:12:00Z',
  problem: 'It does not answer.',
  remedy: 'Please check the address, and whether the system is running.',
  nextTryAt: '2026-11-20T10:36:00Z',
  answeredAt: '2026-11-20T09:00:00Z',
  answerMilliseconds: 132,
  waiting: 7,
  failed: 2,
});

export const lists = area({
  '/admin/reservedwords': list({
    path: '/admin/reservedwords',
    title: 'Reserved words',
    noun: 'reserved word',
    nouns: 'reserved words',
    call: '/api/reservedwords',
    views: [
      {
        name: 'a filter',
        show: async (page) => {
          await button(page, 'Profanity').first().click();
          return popover(page);
        },
      },
    ],
  }),
  '/admin/inboundconnections': list({
    path: '/admin/inboundconnections',
    title: 'Inbound connections',
    noun: 'inbound connection',
    nouns: 'inbound connections',
    call: '/api/admin/inboundconnections',
    views: [
      {
        name: 'a filter',
        show: async (page) => {
          await button(page, 'Kind').first().click();
          return popover(page);
        },
      },
    ],
  }),
  '/admin/interfacerefusals': {
    as: 'ops',
    path: () => '/admin/interfacerefusals',
    ready: (page) =>
      page
        .getByRole('heading', { name: 'Nothing was refused' })
        .or(button(page, /^More about/))
        .first(),
    views: [
      {
        name: 'not loaded',
        show: async (page) => {
          await failing(page, '**/api/admin/interfacerefusals?*');
          await page.reload();
          await expect(page.getByRole('heading', { name: 'The refused messages could not be loaded' })).toBeVisible();
        },
        after: unroute,
      },
    ],
  },
  '/admin/quarantine': {
    as: 'ops',
    path: () => '/admin/quarantine',
    ready: (page) => page.getByRole('heading', { level: 1 }),
    views: [
      {
        name: 'release',
        opens: ['ReleaseFileDialog'],
        show: async (page) => {
          await quarantined(page);
          await fromRowMenu(page, 'Release');
          return dialog(page, 'Release: Eicar-Test-Signature');
        },
        after: unroute,
      },
      {
        name: 'delete',
        show: async (page) => {
          await quarantined(page);
          await fromRowMenu(page, 'Delete');
          return dialog(page, 'Delete the file?');
        },
        after: unroute,
      },
      {
        name: 'what waits',
        show: async (page) => {
          await page.getByRole('tab', { name: 'Waiting' }).click();
          await expect(page.getByRole('heading', { name: 'No files are waiting' })).toBeVisible();
        },
      },
      {
        name: 'not loaded',
        show: async (page) => {
          await failing(page, '**/api/admin/quarantine?*');
          await page.goto('/admin/quarantine');
          await expect(page.getByRole('heading', { name: 'The files in quarantine could not be loaded' })).toBeVisible();
        },
        after: unroute,
      },
    ],
  },
  '/admin/brands': list({
    path: '/admin/brands',
    title: 'Brands',
    noun: 'brand',
    nouns: 'brands',
    call: '/api/brands',
    views: [
      {
        name: 'a fax cover',
        opens: ['EditDialog'],
        show: async (page) => {
          await fromRowMenu(page, 'Fax cover');
          await expect(page.getByRole('button', { name: 'Save Changes' })).toBeEnabled();
          return dialog(page, 'Fax cover');
        },
      },
    ],
  }),
  '/admin/organizationspecialties': list({
    path: '/admin/organizationspecialties',
    title: 'Organization specialties',
    noun: 'specialty',
    nouns: 'specialties',
    call: '/api/admin/organizationspecialties',
  }),
  '/admin/organizationtypes': list({
    path: '/admin/organizationtypes',
    title: 'Organization types',
    noun: 'organization type',
    nouns: 'organization types',
    call: '/api/admin/lists/organizationtypes',
  }),
  '/admin/hispproviders': list({
    path: '/admin/hispproviders',
    title: 'HISP providers',
    noun: 'HISP provider',
    nouns: 'HISP providers',
    call: '/api/admin/lists/hispproviders',
  }),
  '/admin/purposesofuse': list({
    path: '/admin/purposesofuse',
    title: 'Purposes of use',
    noun: 'purpose of use',
    nouns: 'purposes of use',
    call: '/api/admin/lists/purposesofuse',
  }),
  '/admin/classifications': list({
    path: '/admin/classifications',
    title: 'Classifications',
    noun: 'classification',
    nouns: 'classifications',
    call: '/api/admin/lists/classifications',
  }),
  '/admin/jobfunctions': list({
    path: '/admin/jobfunctions',
    title: 'Job functions',
    noun: 'job function',
    nouns: 'job functions',
    call: '/api/admin/lists/jobfunctions',
  }),
  '/admin/documenttypes': list({
    path: '/admin/documenttypes',
    title: 'Document types',
    noun: 'document type',
    nouns: 'document types',
    call: '/api/admin/documenttypes',
  }),
  '/admin/releasetypes': list({
    path: '/admin/releasetypes',
    title: 'Release types',
    noun: 'release type',
    nouns: 'release types',
    call: '/api/admin/releasetypes',
  }),
  '/admin/plans': list({
    path: '/admin/plans',
    title: 'Plans',
    noun: 'plan',
    nouns: 'plans',
    call: '/api/admin/plans',
  }),
  '/admin/resellers': list({
    path: '/admin/resellers',
    title: 'Resellers',
    noun: 'reseller',
    nouns: 'resellers',
    call: '/api/admin/resellers',
  }),
  '/admin/applications': list({
    path: '/admin/applications',
    title: 'Applications',
    noun: 'application',
    nouns: 'applications',
    call: '/api/admin/lists/applications',
  }),
  '/admin/licencetypes': list({
    path: '/admin/licencetypes',
    title: 'Licence types',
    noun: 'licence type',
    nouns: 'licence types',
    call: '/api/admin/lists/licencetypes',
  }),
  '/admin/messageroutingrules': list({
    path: '/admin/messageroutingrules',
    title: 'Message Routing Rules',
    noun: 'routing rule',
    nouns: 'routing rules',
    call: '/api/admin/routingrules',
    views: [
      {
        name: 'its endpoints',
        opens: ['ManageDialog'],
        show: async (page) => {
          await fromRowMenu(page, 'Manage endpoints');
          const opened = dialog(page, 'Manage Endpoints');
          await expect(opened.getByRole('list', { name: 'Manage Endpoints' })).toBeVisible();
          return opened;
        },
      },
      {
        name: 'a new endpoint with what is wrong',
        show: async (page) => {
          await fromRowMenu(page, 'Manage endpoints');
          await dialog(page, 'Manage Endpoints').getByRole('button', { name: 'Add endpoint' }).click();
          const opened = dialog(page, 'Add endpoint');
          await opened.getByRole('button', { name: 'Add', exact: true }).click();
          await expect(opened.locator('[aria-invalid="true"]').first()).toBeVisible();
          return opened;
        },
        after: closeManaged,
      },
      {
        name: 'its senders',
        show: async (page) => {
          await fromRowMenu(page, 'Manage sending organizations');
          const opened = dialog(page, 'Manage Senders');
          await expect(opened.getByRole('list', { name: 'Manage Senders' })).toBeVisible();
          return opened;
        },
      },
      {
        name: 'a new sender',
        show: async (page) => {
          await fromRowMenu(page, 'Manage sending organizations');
          await dialog(page, 'Manage Senders').getByRole('button', { name: 'Add organization' }).click();
          return dialog(page, 'Add sending organization');
        },
        after: closeManaged,
      },
      {
        name: 'a dry run and a test message',
        opens: ['TestDialog'],
        show: async (page) => {
          await fromRowMenu(page, 'Test');
          const opened = dialog(page, 'Test routing rule');
          await opened.getByRole('button', { name: 'Send test message' }).click();
          await expect(opened.getByText('Not reached')).toBeVisible();
          return opened;
        },
      },
    ],
  }),
  '/admin/integrationswhitelist': list({
    path: '/admin/integrationswhitelist',
    title: 'Integrations whitelist',
    noun: 'entry',
    nouns: 'entries',
    call: '/api/admin/integrations/whitelist',
    views: [
      {
        name: 'the integrations, and who uses one',
        opens: ['IntegrationsDialog'],
        show: async (page) => {
          await button(page, 'Integrations').click();
          const opened = dialog(page, 'Integrations');
          await opened.getByRole('button', { name: /^Fax services/ }).click();
          await expect(opened.getByRole('list', { name: 'Organizations with fax services' })).toBeVisible();
          return opened;
        },
      },
    ],
  }),
  '/admin/connections': {
    as: 'ops',
    path: () => '/admin/connections',
    ready: heading('Connections'),
    views: [
      {
        name: 'a connection that fails',
        at: ['wide', 'narrow'],
        show: async (page) => {
          await page.route('**/api/admin/integrations/connections?*', (route) => route.fulfill({ json: connections }));
          await page.reload();
          await expect(page.getByText(/It does not answer\./).first()).toBeVisible();
        },
        after: unroute,
      },
      {
        name: 'not loaded',
        show: async (page) => {
          await failing(page, '**/api/admin/integrations/connections?*');
          await page.reload();
          await expect(page.getByRole('heading', { name: 'The connections could not be loaded' })).toBeVisible();
        },
        after: unroute,
      },
    ],
  },
  '/admin/featureToggle': {
    as: 'ops',
    path: () => '/admin/featureToggle',
    ready: rowsOf('Features'),
    views: [
      {
        name: 'a new feature with what is wrong',
        show: async (page) => {
          await button(page, 'Create').click();
          const opened = dialog(page, 'Create Feature');
          await opened.getByRole('button', { name: 'Create' }).click();
          await expect(opened.locator('[aria-invalid="true"]').first()).toBeVisible();
          return opened;
        },
      },
      {
        name: 'a feature',
        show: async (page) => {
          await fromRowMenu(page, 'Edit');
          await expect(page.getByRole('button', { name: 'Save Changes' })).toBeEnabled();
          return dialog(page, 'Update Feature');
        },
      },
      {
        name: 'delete a feature',
        show: async (page) => {
          await fromRowMenu(page, 'Delete');
          return dialog(page, 'Delete Feature');
        },
      },
    ],
  },
  '/admin/audits': {
    as: 'ops',
    path: () => '/admin/audits',
    ready: (page) => button(page, /^More about/).first(),
    views: [
      {
        name: 'an entry',
        show: async (page) => {
          await button(page, /^More about/)
            .first()
            .click();
          await expect(
            page
              .getByText('Succeeded')
              .or(page.getByText('Failed', { exact: true }))
              .first(),
          ).toBeVisible();
        },
      },
      {
        name: 'a verification',
        opens: ['VerifyDialog'],
        show: async (page) => {
          await button(page, 'Verify').click();
          const opened = dialog(page, 'Verify the audit trail');
          await expect(opened.getByRole('button', { name: 'Close' }).first()).toBeVisible();
          return opened;
        },
      },
      {
        name: 'days the wrong way round',
        show: async (page) => {
          await page.goto('/admin/audits?start=2026-02-02&end=2026-01-01');
          await expect(page.getByText('Start Date must be smaller or equal than End Date.')).toBeVisible();
        },
      },
    ],
  },
  '/admin/licensekeys': {
    as: 'ops',
    path: () => '/admin/licensekeys',
    ready: (page) =>
      page
        .getByRole('heading', { name: 'No licences yet' })
        .or(button(page, /^More about/))
        .first(),
    views: [
      {
        name: 'a request for licences',
        opens: ['GenerateDialog'],
        show: async (page) => {
          await button(page, 'Generate').click();
          const opened = dialog(page, 'Generate License Keys');
          await expect(opened.getByRole('button', { name: 'Generate' })).toBeDisabled();
          return opened;
        },
      },
      {
        name: 'licences that were generated',
        opens: ['GeneratedDialog'],
        show: async (page) => {
          await button(page, 'Generate').click();
          const form = dialog(page, 'Generate License Keys');
          await form.getByRole('textbox', { name: 'Name', exact: true }).fill('Dana Reyes');
          await form.getByRole('textbox', { name: 'Email' }).fill('dana@larkfield.example');
          await form.getByRole('textbox', { name: 'Product name' }).fill('Connector');
          await form.getByRole('combobox', { name: 'Organization' }).fill('Lark');
          await page
            .getByRole('option', { name: /^Larkfield/ })
            .first()
            .click();
          await form.getByRole('checkbox', { name: 'Licensed Plan' }).check();
          await form.getByRole('button', { name: 'Generate' }).click();
          await expect(dialog(page, 'Generated License Keys')).toBeVisible();
        },
        after: (page) => dialog(page, 'Generated License Keys').getByRole('button', { name: 'Close' }).click(),
      },
    ],
  },
  '/admin/apicapture': {
    as: 'ops',
    path: () => '/admin/apicapture',
    ready: (page) => button(page, /^More about/).first(),
    views: [
      {
        name: 'what was sent, and the question why to show it',
        opens: ['RevealDialog'],
        show: async (page) => {
          await button(page, /^More about/)
            .first()
            .click();
          await button(page, 'Show query and bodies').click();
          return dialog(page, 'Show query and bodies');
        },
      },
      {
        name: 'a time the wrong way round',
        show: async (page) => {
          await page.goto('/admin/apicapture?start=2026-02-02T00:00:00&end=2026-01-01T00:00:00');
          await expect(page.getByText('Start Date must be smaller or equal than End Date.')).toBeVisible();
        },
      },
    ],
  },
  '/admin/eulas': {
    as: 'ops',
    path: () => '/admin/eulas',
    ready: (page) => page.getByRole('button', { name: /^Actions for EULA/ }).first(),
    views: [
      {
        name: 'a new EULA with what is wrong',
        show: async (page) => {
          await button(page, 'Create').click();
          const opened = dialog(page, 'New EULA');
          await opened.getByRole('button', { name: 'Create' }).click();
          await expect(opened.getByText('You must select a file.')).toBeVisible();
          return opened;
        },
      },
      {
        name: 'the text of a EULA',
        opens: ['EulaView'],
        show: async (page) => {
          await fromRowMenu(page, 'View');
          const opened = page.getByRole('dialog', { name: /^EULA / });
          await expect(opened.getByRole('region', { name: 'Text of the terms' })).toBeVisible();
          return opened;
        },
      },
      {
        name: 'delete a EULA',
        show: async (page) => {
          await fromRowMenu(page, 'Delete');
          return dialog(page, 'Delete EULA');
        },
      },
      {
        name: 'nothing found',
        show: async (page) => {
          await page.getByLabel('Search EULAs').fill('zzqx');
          await expect(page.getByRole('heading', { name: 'No EULA matches' })).toBeVisible();
        },
        after: (page) => button(page, 'Show all').click(),
      },
    ],
  },
  '/admin/trust/': {
    as: 'ops',
    path: () => '/admin/trust',
    ready: (page) => page.getByRole('heading', { name: 'No trust bundles yet' }).or(rowsOf('Trust bundles')(page)).first(),
    views: [
      {
        name: 'a new bundle with what is wrong',
        show: async (page) => {
          await button(page, 'Add bundle').first().click();
          const opened = dialog(page, 'Add a trust bundle');
          await opened.getByRole('checkbox', { name: 'All organizations' }).uncheck();
          await opened.getByRole('button', { name: 'Fetch and trust' }).click();
          await expect(opened.locator('[aria-invalid="true"]').first()).toBeVisible();
          return opened;
        },
      },
      {
        name: 'a bundle that was not refreshed',
        fresh: true,
        show: async (page) => {
          await page.route('**/api/admin/trust/bundles?*', (route) => route.fulfill({ json: bundles }));
          await page.route('**/api/admin/trust/anchors?*', (route) => route.fulfill({ json: anchors }));
          await page.reload();
          await page.getByRole('button', { name: 'More about Community' }).click();
          await expect(page.getByText('The last refresh failed.')).toBeVisible();
        },
        after: unroute,
      },
    ],
  },
  '/admin/trust/own': {
    as: 'ops',
    path: () => '/admin/trust/own',
    ready: (page) => page.getByRole('heading', { name: 'For partners' }),
  },
  '/admin/trust/anchors': {
    as: 'ops',
    path: () => '/admin/trust/anchors',
    ready: (page) => page.getByRole('heading', { name: 'No trust anchors yet' }).or(rowsOf('Trust anchors')(page)).first(),
    views: [
      {
        name: 'a new anchor with what is wrong',
        show: async (page) => {
          await button(page, 'Add anchor').first().click();
          const opened = dialog(page, 'Add a trust anchor');
          await opened.getByRole('button', { name: 'Trust', exact: true }).click();
          await expect(opened.locator('[aria-invalid="true"]').first()).toBeVisible();
          return opened;
        },
      },
    ],
  },
  '/admin/emergencies/': {
    as: 'ops',
    path: () => '/admin/emergencies',
    ready: (page) => page.getByRole('heading', { name: 'No emergencies yet' }).or(rowsOf('Emergencies')(page)).first(),
    views: [
      {
        name: 'a new emergency with what is wrong',
        show: async (page) => {
          await button(page, 'Create').first().click();
          const opened = dialog(page, 'New emergency');
          await opened.getByRole('button', { name: 'Create' }).click();
          await expect(opened.locator('[aria-invalid="true"]').first()).toBeVisible();
          return opened;
        },
      },
    ],
  },
  '/admin/emergencies/organizations': {
    as: 'ops',
    path: () => '/admin/emergencies/organizations',
    ready: (page) => page.getByRole('heading', { name: 'No organizations yet' }).or(rowsOf('Organizations')(page)).first(),
    views: [
      {
        name: 'a new organization that nobody knows',
        show: async (page) => {
          await button(page, 'Add organization').first().click();
          const opened = dialog(page, 'New organization');
          await opened.getByRole('textbox', { name: 'OID' }).fill('2.16.840.1.9');
          await expect(opened.getByText('No organizations found')).toBeVisible();
          return opened;
        },
      },
    ],
  },
  '/admin/organizations/import': { as: 'ops', path: () => '/admin/organizations/import', leadsTo: /batchimports\/organizations/ },
  '/admin/batchimports/': {
    as: 'ops',
    path: () => '/admin/batchimports',
    ready: (page) => page.getByRole('heading', { name: 'Nothing was imported yet' }).or(rowsOf('Rows')(page)).first(),
  },
  '/admin/batchimports/organizations': {
    as: 'ops',
    path: () => '/admin/batchimports/organizations',
    ready: (page) => button(page, 'Check without saving'),
    views: [
      {
        name: 'an import with what is wrong',
        show: async (page) => {
          await button(page, 'Import').click();
          await expect(page.locator('[aria-invalid="true"]').first()).toBeVisible();
        },
      },
    ],
  },
  '/admin/utils/': {
    as: 'ops',
    path: () => '/admin/utils',
    ready: (page) => button(page, 'Saved Direct Addresses'),
    views: [
      {
        name: 'the saved Direct addresses of an organization',
        opens: ['SavedAddressesDialog'],
        show: async (page) => {
          await button(page, 'Saved Direct Addresses').click();
          return dialog(page, 'Saved Direct Addresses');
        },
      },
      {
        name: 'an id that is not there',
        show: async (page) => {
          await page.getByLabel('Message id').fill('01935a4e-7c1b-7d2e-9f00-5b8f2a3c4d5e');
          await page.getByRole('region', { name: 'Message', exact: true }).getByRole('button', { name: 'Look up' }).click();
          await expect(page.getByText('Not Found')).toBeVisible();
        },
      },
    ],
  },
  '/admin/utils/workflowretry': {
    as: 'ops',
    path: () => '/admin/utils/workflowretry',
    ready: (page) => page.getByRole('region', { name: 'By list' }),
    views: [
      {
        name: 'a retry with what is missing',
        show: async (page) => {
          await page.getByRole('region', { name: 'By list' }).getByRole('button', { name: 'Retry' }).click();
          await expect(page.getByText('Workflow Ids are missing.')).toBeVisible();
        },
      },
    ],
  },
});
