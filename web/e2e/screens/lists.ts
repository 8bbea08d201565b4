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
        opens: ['FaxCoverDialog'],
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
});
