import { expect } from '../support';
import { area, button, dialog, failing, fromRowMenu, popover, rowsOf, type Screen, unroute, type View } from './kit';

type List = { path: string; title: string; noun: string; nouns: string; call: string; views?: View[] };

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
