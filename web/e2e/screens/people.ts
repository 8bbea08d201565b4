import { expect } from '../support';
import { area, button, dialog, failing, fromRowMenu, rowsOf, type Screen, unroute } from './kit';

const USERS: Screen = {
  as: 'ops',
  path: () => '/admin/users?search=priya',
  ready: rowsOf('Users'),
  views: [
    {
      name: 'a new user with what is wrong',
      show: async (page) => {
        await button(page, 'Create').click();
        const opened = dialog(page, 'New user');
        await opened.getByRole('combobox', { name: 'Type' }).click();
        await page.getByRole('option', { name: 'User of an organization' }).click();
        await opened.getByRole('checkbox', { name: /^Send an e-mail/ }).uncheck();
        await opened.getByRole('button', { name: 'Create' }).click();
        await expect(opened.getByText('Role is required.')).toBeVisible();
        return opened;
      },
    },
    {
      name: 'a user',
      show: async (page) => {
        await fromRowMenu(page, 'Edit');
        await expect(page.getByRole('button', { name: 'Save Changes' })).toBeEnabled();
        return dialog(page, 'Edit user');
      },
    },
    {
      name: 'organizations of a user',
      opens: ['AccountOrganizations'],
      show: async (page) => {
        await fromRowMenu(page, 'Organizations');
        const opened = dialog(page, 'Organizations');
        await expect(opened.getByRole('button', { name: /^Remove from/ })).toBeVisible();
        await opened.getByRole('button', { name: 'Assign' }).click();
        await expect(opened.getByText('Role is required.')).toBeVisible();
        return opened;
      },
    },
    {
      name: 'identity proofing of a user',
      opens: ['AccountProofing'],
      show: async (page) => {
        await fromRowMenu(page, 'ID Proofing');
        const opened = dialog(page, 'User Identity Proofing');
        await expect(opened.getByText('No photo ID of this person is kept.')).toBeVisible();
        return opened;
      },
    },
    {
      name: 'sessions of a user',
      opens: ['AccountSessions'],
      show: async (page) => {
        await fromRowMenu(page, 'Sessions');
        const opened = dialog(page, 'Sessions');
        await expect(opened.getByRole('list', { name: 'Sessions' })).toHaveAttribute('aria-busy', 'false');
        return opened;
      },
    },
    {
      name: 'disable a user',
      show: async (page) => {
        await fromRowMenu(page, 'Disable');
        return dialog(page, 'Disable User');
      },
    },
    {
      name: 'nothing found',
      show: async (page) => {
        await page.getByLabel('Search users').fill('zzqx');
        await expect(page.getByRole('heading', { name: 'No user matches' })).toBeVisible();
      },
      after: (page) => button(page, 'Show all').click(),
    },
    {
      name: 'not loaded',
      show: async (page) => {
        await failing(page, '**/api/admin/users?*');
        await page.reload();
        await expect(page.getByRole('heading', { name: 'The users could not be loaded' })).toBeVisible();
      },
      after: unroute,
    },
  ],
};

export const people = area({
  '/admin/users': USERS,
  '/admin/proofing/': {
    as: 'ops',
    path: () => '/admin/proofing',
    ready: rowsOf('Identity proofing'),
    views: [
      {
        name: 'nothing waits',
        show: async (page) => {
          await page.route('**/api/admin/users/idproof', (route) => route.fulfill({ json: { items: [] } }));
          await page.reload();
          await expect(page.getByRole('heading', { name: 'Nothing to review' })).toBeVisible();
        },
        after: unroute,
      },
    ],
  },
  '/admin/proofing/$id': {
    as: 'ops',
    path: (data) => `/admin/proofing/${data.applicant}`,
    ready: (page) => page.getByRole('img', { name: /^Page 1 of the ID/ }),
    views: [
      {
        name: 'refused without a reason',
        show: async (page) => {
          await button(page, 'Not Verified').click();
          const opened = dialog(page, 'Not Verified');
          await opened.getByRole('button', { name: 'Refuse' }).click();
          await expect(opened.getByText(/^Please enter what is wrong/)).toBeVisible();
          return opened;
        },
      },
      {
        name: 'verified',
        show: async (page) => {
          await button(page, 'Verified').click();
          return dialog(page, 'Verified');
        },
      },
      {
        name: 'a file that cannot be shown',
        show: async (page) => {
          await page.route('**/idproof/review*', async (route) => {
            const response = await route.fetch();
            await route.fulfill({ response, json: { ...(await response.json()), pages: null, person: null } });
          });
          await page.reload();
          await expect(page.getByText('This file cannot be shown.')).toBeVisible();
        },
        after: unroute,
      },
      {
        name: 'not loaded',
        show: async (page) => {
          await failing(page, '**/idproof/review*');
          await page.reload();
          await expect(page.getByRole('heading', { name: 'The photo ID could not be loaded' })).toBeVisible();
        },
        after: unroute,
      },
    ],
  },
});
