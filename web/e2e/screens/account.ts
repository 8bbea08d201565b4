import type { Page } from '@playwright/test';
import { expect } from '../support';
import { frame } from './frame';
import { beginning } from './onboarding';
import {
  answer,
  area,
  button,
  dialog,
  failing,
  firstRowMenu,
  fromRowMenu,
  heading,
  narrow,
  rowsOf,
  serviceAccountViews,
  unroute,
  wide,
  type View,
} from './kit';

const withPassword = async (page: Page, label: string) => {
  await page.getByRole('dialog').getByRole('textbox', { name: 'Your password' }).fill('Carepost-demo-2026');
  await page.getByRole('dialog').getByRole('button', { name: label, exact: true }).click();
};
const profileViews: View[] = [
  {
    name: 'password again',
    opens: ['PasswordDialog'],
    show: async (page) => {
      await button(page, 'Switch on').click();
      return dialog(page, 'Switch codes by e-mail on');
    },
  },
  {
    name: 'authenticator app',
    opens: ['BeforeSetup'],
    at: wide,
    show: async (page) => {
      await button(page, 'Set up').click();
      return dialog(page, 'Set up an authenticator app');
    },
  },
  {
    name: 'first code',
    opens: ['FirstCode'],
    show: async (page) => {
      await button(page, 'Set up').click();
      await withPassword(page, 'Continue');
      await expect(page.getByRole('img', { name: 'QR code of the secret' })).toBeVisible();
      return dialog(page, 'Set up an authenticator app');
    },
  },
  {
    name: 'recovery codes',
    opens: ['CodesDialog'],
    show: async (page) => {
      const recoveryCodes = Array.from({ length: 10 }, (_, i) => `abcd-efgh-jkm${i}-npqr-stuv-wxyz-abcd`.replace('1', 'x'));
      await page.route('**/api/account/secondfactor/email', (route) => route.fulfill({ json: { recoveryCodes } }));
      await button(page, 'Switch on').click();
      await withPassword(page, 'Switch on');
      await expect(dialog(page, 'Your recovery codes')).toBeVisible();
    },
    after: async (page) => {
      await button(page, 'I have saved them').click();
      await unroute(page);
    },
  },
  {
    name: 'sign out everywhere',
    opens: ['EndDialog'],
    at: wide,
    show: async (page) => {
      await button(page, 'Sign out everywhere').click();
      return dialog(page, 'Sign out everywhere');
    },
  },
];
const dashboardViews: View[] = [
  {
    name: 'almost set up, and much to look at',
    show: async (page) => {
      const traffic = Array.from({ length: 30 }, (_, i) => ({
        date: `2026-11-${String(i + 1).padStart(2, '0')}`,
        received: (i * 37) % 91,
        sent: (i * 17) % 40,
      }));
      const users = { active: 3, invited: 2, disabled: 1, allowedUsers: 5 };
      await answer(page, '**/api/account/dashboard?*', (shown) => ({ ...shown, traffic, users, idProofedDate: null, isActivated: false }));
      await page.reload();
      await expect(page.getByRole('heading', { name: 'Almost set up' })).toBeVisible();
      await expect(page.getByText('2 people have not accepted the invitation yet')).toBeVisible();
    },
    after: unroute,
  },
  {
    name: 'figures not loaded',
    show: async (page) => {
      await failing(page, '**/api/account/dashboard?*');
      await page.reload();
      await expect(page.getByRole('heading', { name: 'The figures could not be loaded' })).toBeVisible();
    },
    after: unroute,
  },
];
const usersViews: View[] = [
  { name: 'row menu', opens: ['BodyRow'], at: wide, show: firstRowMenu },
  { name: 'card menu', opens: ['Cards'], at: narrow, show: firstRowMenu },
  {
    name: 'nothing found',
    show: async (page) => {
      await page.getByLabel('Search users').fill('zzqx');
      await expect(page.getByRole('heading', { name: 'No user matches' })).toBeVisible();
    },
    after: (page) => button(page, 'Show all').click(),
  },
  {
    name: 'no room in the plan',
    show: async (page) => {
      await answer(page, '**/api/users?*', (list) => ({ ...list, allowedUsers: 4, numberOfUsers: 4 }));
      await page.goto('/account/users');
      await expect(page.getByText('All places of your plan are taken.')).toBeVisible();
    },
    after: unroute,
  },
  {
    name: 'not loaded',
    show: async (page) => {
      await failing(page, '**/api/users?*');
      await page.goto('/account/users');
      await expect(page.getByRole('heading', { name: 'The users could not be loaded' })).toBeVisible();
    },
    after: unroute,
  },
];
const userViews: View[] = [
  {
    name: 'reset of the second step',
    opens: ['ResetDialog'],
    show: async (page) => {
      await answer(page, '**/api/users/*', (user) => ({ ...user, twoFactorEnabled: true }));
      await page.reload();
      await button(page, 'Reset Second Step').click();
      return dialog(page, 'Reset Second Step');
    },
    after: unroute,
  },
  {
    name: 'disable',
    opens: ['ActDialog'],
    show: async (page) => {
      await button(page, 'Disable').click();
      return dialog(page, 'Disable User');
    },
  },
  {
    name: 'leaving what is not saved',
    opens: ['LeaveGuard'],
    show: async (page) => {
      await page.getByRole('textbox', { name: 'First name' }).fill('Prya');
      await button(page, 'Cancel').click();
      return dialog(page, 'Leave without saving?');
    },
    after: async (page) => {
      await button(page, 'Cancel').click();
      await button(page, 'Leave').click();
      await expect(page).toHaveURL(/account\/users$/);
    },
  },
  {
    name: 'changed by somebody else',
    fresh: true,
    show: async (page) => {
      await page.route('**/api/users/*', async (route) => {
        if (route.request().method() === 'PUT')
          return route.fulfill({
            status: 409,
            json: { message: 'Somebody else has changed this user.', reason: 'Changed in the meantime.' },
          });
        const response = await route.fetch();
        await route.fulfill({ response, json: { ...((await response.json()) as object), version: Date.now() % 100_000 } });
      });
      await button(page, 'Save Changes').click();
      await expect(page.getByText('This user has changed.')).toBeVisible();
    },
    after: unroute,
  },
  {
    name: 'many addresses',
    fresh: true,
    show: async (page) => {
      await answer(page, '**/api/users/*/documentsources', (list) => {
        const [first] = list.items as { documentSourceId: string; fullAddress: string }[];
        return { items: Array.from({ length: 30 }, (_, i) => ({ ...first, documentSourceId: `${i}`, status: i % 5 === 0 ? 0 : 1 })) };
      });
      await page.reload();
      await expect(page.getByLabel('Search addresses')).toBeVisible();
    },
    after: unroute,
  },
  {
    name: 'of another organization too',
    fresh: true,
    show: async (page) => {
      await answer(page, '**/api/users/*', (user) => ({ ...user, canChangePerson: false, isLocked: true }));
      await page.reload();
      await expect(page.getByText('Only this person can change this').first()).toBeVisible();
    },
    after: unroute,
  },
];
const inGrace = (page: Page) =>
  answer(page, '**/api/subscriptionplans/subscriptions?*', (shown) => ({
    ...shown,
    status: 'GracePeriod',
    endDate: '2026-12-24T09:00:00Z',
  }));
const planViews: View[] = [
  {
    name: 'change',
    opens: ['AskDialog'],
    show: async (page) => {
      await page.getByRole('radio', { name: 'Professional' }).click();
      await button(page, 'Change plan').click();
      return dialog(page, 'Change plan');
    },
  },
  {
    name: 'cancel',
    opens: ['EditDialog'],
    show: async (page) => {
      await button(page, 'Cancel subscription').click();
      await dialog(page, 'Cancel subscription').getByRole('button', { name: 'Cancel subscription' }).click();
      await expect(page.getByText('Please tell us why you are leaving.')).toBeVisible();
      return dialog(page, 'Cancel subscription');
    },
  },
  {
    name: 'grace period',
    fresh: true,
    show: async (page) => {
      await inGrace(page);
      await page.reload();
      await expect(button(page, 'Keep the subscription')).toBeVisible();
    },
    after: unroute,
  },
  {
    name: 'not loaded',
    fresh: true,
    show: async (page) => {
      await failing(page, '**/api/subscriptionplans/subscriptions?*');
      await page.reload();
      await expect(page.getByRole('heading', { name: 'The plan could not be loaded' })).toBeVisible();
    },
    after: unroute,
  },
];

const intakeRules = {
  items: [
    {
      id: '0198f1aa-7a10-7000-8000-000000000002',
      name: 'Lab results',
      position: 0,
      isEnabled: true,
      stops: true,
      people: [],
      sources: ['Fax'],
      senders: ['lab'],
      recipients: [],
      subjects: [],
      documentTypes: [],
      patient: 'Any',
      patientNames: [],
      tags: ['lab'],
      documentType: 'Lab report',
      isUrgent: true,
      fileToChart: { integrationId: '0198f1aa-7a10-7000-8000-0000000000c1', minimumPercent: 98, marksProcessed: true },
      filingProblem: 'Maple Street EHR is switched off, so this rule files nothing.',
      version: 1,
    },
  ],
  totalCount: 1,
  totalIsCapped: false,
};
const dryRun = {
  items: [
    {
      id: '0198f1aa-7a10-7000-8000-000000000003',
      receivedDate: '2026-11-18T09:00:00Z',
      sourceType: 'Fax',
      fromAddress: '+17405550110',
      fromName: 'County lab',
      subject: 'Fax from 740-555-0110, 2 pages',
      patientName: '',
      matches: [{ ruleId: intakeRules.items[0]!.id, name: 'Lab results', reasons: ['Received by fax', 'The sender contains “lab”'] }],
      people: [],
      tags: ['lab'],
      documentType: 'Lab report',
      isUrgent: true,
    },
  ],
  examined: 84,
  nextCursor: 'more',
};

const filingTried = {
  items: [
    {
      id: '0198f1aa-7a10-7000-8000-000000000003',
      receivedDate: '2026-11-18T09:00:00Z',
      sourceType: 'Fax',
      fromAddress: '+17405550110',
      fromName: 'County lab',
      subject: 'Fax from 740-555-0110, 2 pages',
      patientName: 'Tenney, Marisol',
      ruleName: 'Lab results',
      wouldFile: true,
      chartPatient: 'Tenney, Marisol J',
      percent: 99,
      reason: '',
      byPerson: 'Other',
    },
  ],
  examined: 84,
  isCut: false,
};

/** Screens of a person and their organization. */
export const account = area({
  '/account/dashboard': [
    {
      as: 'dana',
      path: () => '/account/dashboard',
      ready: (page) => page.getByRole('heading', { name: 'Latest in Intake' }),
      views: dashboardViews,
    },
    {
      as: 'dana',
      about: 'what stands around every page',
      path: () => '/account/dashboard',
      ready: (page) => page.getByRole('heading', { name: 'Latest in Intake' }),
      views: [...frame, ...beginning],
    },
    {
      as: 'nia',
      about: 'not activated',
      path: () => '/account/dashboard',
      ready: (page) => page.getByText('Your organization is not activated yet.'),
    },
  ],
  '/account/profile': {
    as: 'priya',
    path: () => '/account/profile',
    ready: (page) => button(page, 'Sign out everywhere'),
    views: profileViews,
  },
  '/account/settings/security': {
    as: 'dana',
    path: () => '/account/settings/security',
    ready: (page) => button(page, 'Save settings'),
    views: [
      {
        name: 'addresses',
        show: async (page) => {
          await page.getByRole('switch', { name: 'Allow only these addresses' }).check();
          await button(page, 'Save settings').click();
          await expect(page.getByText('Please enter at least one address, or allow all.')).toBeVisible();
        },
      },
      {
        name: 'lock out',
        opens: ['SecurityForm'],
        fresh: true,
        at: wide,
        show: async (page) => {
          await page.route('**/api/account/settings/security', (route) =>
            route.request().method() === 'PUT'
              ? route.fulfill({ status: 422, json: { modelState: { confirmLockOut: ['Please confirm.'] } } })
              : route.fallback(),
          );
          await button(page, 'Save settings').click();
          return dialog(page, 'Your own address is not in the list');
        },
        after: unroute,
      },
    ],
  },
  '/account/settings/documents': {
    as: 'dana',
    path: () => '/account/settings/documents',
    ready: (page) => button(page, 'Save settings'),
    views: [
      {
        name: 'printed',
        show: async (page) => {
          await page.getByRole('radio', { name: 'Print' }).check();
        },
      },
    ],
  },
  '/account/settings/serviceaccounts': {
    as: 'dana',
    path: () => '/account/settings/serviceaccounts',
    ready: heading('Service accounts'),
    views: serviceAccountViews,
  },
  '/account/settings/sso': {
    as: 'dana',
    path: () => '/account/settings/sso',
    ready: (page) => button(page, 'Save single sign-on'),
    views: [
      {
        name: 'errors',
        show: async (page) => {
          await button(page, 'Save single sign-on').click();
          await expect(page.getByText('Please enter the client ID that the provider gave you.')).toBeVisible();
        },
      },
      {
        name: 'kept',
        opens: ['Remove'],
        fresh: true,
        show: async (page) => {
          const connection = {
            name: 'larkfield-ehr',
            issuer: 'https://login.larkfield.example',
            clientId: 'carepost',
            hasClientSecret: true,
            isEnabled: true,
            signInAddress: 'https://carepost.example/account/login/larkfield-ehr',
            linkedPeople: 3,
          };
          const json = { connection, redirectAddress: 'https://carepost.example/callback/0198f1aa-7a10-7000-8000-000000000001' };
          await page.route('**/api/account/settings/sso', (route) => route.fulfill({ json }));
          await page.reload();
          await button(page, 'Remove').click();
          return dialog(page, 'Remove single sign-on');
        },
        after: unroute,
      },
      {
        name: 'not loaded',
        fresh: true,
        show: async (page) => {
          await failing(page, '**/api/account/settings/sso');
          await page.reload();
          await expect(page.getByRole('heading', { name: 'The settings could not be loaded' })).toBeVisible();
        },
        after: unroute,
      },
    ],
  },
  '/account/settings/plan': {
    as: 'sam',
    path: () => '/account/settings/plan',
    ready: (page) => page.getByRole('heading', { name: 'Current plan' }),
    views: planViews,
  },
  '/account/activity': {
    as: 'dana',
    path: () => '/account/activity?from=2000-01-01&until=2040-01-01',
    ready: rowsOf('Activity'),
    views: [
      {
        name: 'report',
        show: async (page) => {
          await button(page, 'Activity report').click();
          return dialog(page, 'Activity report');
        },
      },
      {
        name: 'audit trail',
        opens: ['AuditTrailDialog'],
        show: async (page) => {
          await button(page, 'Audit trail').click();
          await expect(dialog(page, 'Audit trail').getByRole('table', { name: 'Activity' }).locator('tbody tr').first()).toBeVisible();
          return dialog(page, 'Audit trail');
        },
      },
      {
        name: 'disclosures of a patient, with what is missing',
        opens: ['DisclosuresDialog'],
        show: async (page) => {
          await button(page, 'Disclosures of a patient').click();
          const opened = dialog(page, 'Disclosures of a patient');
          await opened.getByRole('button', { name: 'Download' }).click();
          await expect(opened.locator('[aria-invalid="true"]').first()).toBeVisible();
          return opened;
        },
      },
      {
        name: 'nothing found',
        show: async (page) => {
          await page.goto('/account/activity?from=2000-01-01&until=2000-01-02');
          await expect(page.getByRole('heading', { name: 'No activity' })).toBeVisible();
        },
      },
    ],
  },
  '/account/settings/intakerules': {
    as: 'dana',
    path: () => '/account/settings/intakerules',
    ready: heading('Intake rules'),
    views: [
      {
        name: 'a new intake rule with what is wrong',
        show: async (page) => {
          await button(page, 'Create').click();
          const opened = dialog(page, 'New intake rule');
          await opened.getByRole('button', { name: 'Create' }).click();
          await expect(opened.locator('[aria-invalid="true"]').first()).toBeVisible();
          return opened;
        },
      },
      {
        name: 'what a rule would have done',
        opens: ['DryRunDialog'],
        fresh: true,
        show: async (page) => {
          await page.route('**/api/settings/intakerules?*', (route) => route.fulfill({ json: intakeRules }));
          await page.route('**/api/settings/intakerules/dryrun', (route) => route.fulfill({ json: dryRun }));
          await page.reload();
          await button(page, 'Try the rules').click();
          await expect(page.getByText('The sender contains “lab”')).toBeVisible();
          return dialog(page, 'Try the rules');
        },
        after: unroute,
      },
      {
        name: 'what a rule would have filed',
        opens: ['FilingDryRunDialog'],
        fresh: true,
        show: async (page) => {
          await page.route('**/api/settings/intakerules?*', (route) => route.fulfill({ json: intakeRules }));
          await page.route('**/api/settings/intakerules/dryrun/chart', (route) => route.fulfill({ json: filingTried }));
          await page.reload();
          await fromRowMenu(page, 'Try filing');
          await expect(page.getByText('Differs: a person filed it to another patient')).toBeVisible();
          return dialog(page, 'Try filing by “Lab results”');
        },
        after: unroute,
      },
      {
        name: 'nothing found',
        show: async (page) => {
          await page.getByLabel('Search intake rules').fill('zzqx');
          await expect(page.getByRole('heading', { name: 'No intake rule matches' })).toBeVisible();
        },
        after: (page) => button(page, 'Show all').click(),
      },
    ],
  },
  '/account/settings/directaddresses': {
    as: 'dana',
    path: () => '/account/settings/directaddresses',
    ready: rowsOf('Direct addresses'),
    views: [
      {
        name: 'a request with what is wrong',
        show: async (page) => {
          await button(page, 'Request address').click();
          const opened = dialog(page, 'Request a Direct address');
          await opened.getByRole('button', { name: 'Request' }).click();
          await expect(opened.locator('[aria-invalid="true"]').first()).toBeVisible();
          return opened;
        },
      },
      {
        name: 'retire an address',
        show: async (page) => {
          await fromRowMenu(page, 'Retire');
          return dialog(page, 'Retire Direct address');
        },
      },
    ],
  },
  '/account/settings/documenttypes': {
    as: 'dana',
    path: () => '/account/settings/documenttypes',
    ready: heading('Document types'),
    views: [
      {
        name: 'a new document type with what is wrong',
        show: async (page) => {
          await button(page, 'Create').click();
          const opened = dialog(page, 'New document type');
          await opened.getByRole('button', { name: 'Create' }).click();
          await expect(opened.locator('[aria-invalid="true"]').first()).toBeVisible();
          return opened;
        },
      },
      {
        name: 'nothing found',
        show: async (page) => {
          await page.getByLabel('Search document types').fill('zzqx');
          await expect(page.getByRole('heading', { name: 'No document type matches' })).toBeVisible();
        },
        after: (page) => button(page, 'Show all').click(),
      },
    ],
  },
  '/account/settings/releasetypes': {
    as: 'dana',
    path: () => '/account/settings/releasetypes',
    ready: heading('Release types'),
    views: [
      {
        name: 'a new release type with what is wrong',
        show: async (page) => {
          await button(page, 'Create').click();
          const opened = dialog(page, 'New release type');
          await opened.getByRole('button', { name: 'Create' }).click();
          await expect(opened.locator('[aria-invalid="true"]').first()).toBeVisible();
          return opened;
        },
      },
      {
        name: 'nothing found',
        show: async (page) => {
          await page.getByLabel('Search release types').fill('zzqx');
          await expect(page.getByRole('heading', { name: 'No release type matches' })).toBeVisible();
        },
        after: (page) => button(page, 'Show all').click(),
      },
    ],
  },
  '/account/users/': { as: 'dana', path: () => '/account/users', ready: rowsOf('Users'), views: usersViews },
  '/account/users/add': {
    as: 'dana',
    path: () => '/account/users/add',
    ready: (page) => button(page, 'Send Invitation'),
    views: [
      {
        name: 'fields to fill in',
        show: async (page) => {
          await button(page, 'Send Invitation').click();
          await expect(page.getByText('Username is not valid')).toBeVisible();
        },
      },
    ],
  },
  '/account/users/$id': {
    as: 'dana',
    path: (data) => `/account/users/${data.person}`,
    ready: (page) => page.getByRole('table', { name: 'Activity' }).locator('tbody tr').first(),
    views: userViews,
  },
});
