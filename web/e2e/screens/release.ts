import type { Page } from '@playwright/test';
import type { Data } from '../data';
import { expect } from '../support';
import {
  answer,
  area,
  button,
  dialog,
  failing,
  firstRowMenu,
  fromRowMenu,
  hanging,
  heading,
  menu,
  narrow,
  options,
  pageDrawn,
  popover,
  rowsOf,
  unroute,
  wide,
  type View,
} from './kit';
import { chartDraftViews, chartViews } from './charts';
import { CALL } from './fax';

const nonPhiFax = async (page: Page) => {
  await button(page, 'More ways to send').click();
  await page.getByRole('menuitem', { name: 'Non-PHI fax' }).click();
  return dialog(page, 'Non-PHI fax');
};
const releaseViews: View[] = [
  {
    name: 'more ways to send',
    opens: ['HeadActions'],
    show: async (page) => {
      await button(page, 'More ways to send').click();
      return menu(page);
    },
  },
  { name: 'non-PHI fax', opens: ['NonPhiForm'], show: nonPhiFax },
  {
    name: 'non-PHI fax, own numbers not loaded',
    opens: ['NonPhiFaxDialog'],
    fresh: true,
    show: async (page) => {
      await failing(page, '**/api/documentsources/release?*');
      const box = await nonPhiFax(page);
      await expect(button(page, 'Try again')).toBeVisible({ timeout: 15_000 });
      return box;
    },
    after: unroute,
  },
  {
    name: 'non-PHI fax with errors',
    show: async (page) => {
      const box = await nonPhiFax(page);
      await button(page, 'Send fax').click();
      await expect(page.getByText('Missing file attachment.')).toBeVisible();
      return box;
    },
  },
  { name: 'row menu', opens: ['BodyRow'], at: wide, show: firstRowMenu },
  {
    name: 'delete',
    opens: ['DeleteMessageDialog'],
    at: wide,
    show: async (page) => {
      await fromRowMenu(page, 'Delete');
      return dialog(page, 'Delete Message');
    },
  },
  {
    name: 'filter Status',
    opens: ['FilterShell'],
    show: async (page) => {
      await button(page, 'Status').first().click();
      return popover(page);
    },
  },
  {
    name: 'nothing found',
    show: async (page) => {
      await page.getByLabel('Search releases').fill('zzqx');
      await expect(page.getByRole('heading', { name: 'No release matches these filters' })).toBeVisible();
    },
    // Words are kept for the next visit.
    after: (page) => button(page, 'Clear filters').click(),
  },
  {
    name: 'not loaded',
    show: async (page) => {
      await failing(page, '**/api/messages/_search');
      await page.goto('/release');
      await expect(page.getByRole('heading', { name: 'The releases could not be loaded' })).toBeVisible();
    },
    after: unroute,
  },
];

const savedAddresses = async (page: Page) => {
  await button(page, 'Saved addresses').click();
  return dialog(page, 'Saved addresses');
};
const ADDRESSES = '**/api/directaddresscache';
const foundInDirectory = async (page: Page) => {
  await button(page, 'Directory').click();
  const box = dialog(page, 'Find Provider');
  await box.getByLabel('City').fill('Larkfield');
  await box.getByRole('button', { name: 'Search', exact: true }).click();
  await expect(box.locator('tbody tr').first()).toBeVisible();
  return box;
};
const newReleaseViews: View[] = [
  {
    name: 'errors before sending',
    show: async (page) => {
      await button(page, 'Review and send').click();
      await expect(page.getByText('Please fix the following errors before sending.')).toBeVisible();
    },
  },
  {
    name: 'release types',
    fresh: true,
    show: async (page) => {
      await page.locator('#release-releaseType').click();
      return options(page);
    },
  },
  {
    name: 'suggested addresses',
    show: async (page) => {
      await page.locator('#release-to').pressSequentially('summit');
      await expect(page.getByRole('option').first()).toBeVisible();
      return options(page);
    },
  },
  {
    name: 'an address that is not valid, Cc and Bcc',
    fresh: true,
    show: async (page) => {
      await button(page, 'Cc and Bcc').click();
      await page.locator('#release-to').fill('nobody@no-such-practice');
      await page.keyboard.press('Enter');
      await expect(page.getByText('This address is not valid.')).toBeVisible();
    },
  },
  { name: 'saved addresses', opens: ['SavedAddressesDialog'], show: savedAddresses },
  {
    name: 'directory',
    opens: ['FindProviderDialog'],
    show: async (page) => {
      await button(page, 'Directory').click();
      return dialog(page, 'Find Provider');
    },
  },
  { name: 'directory, found', show: foundInDirectory },
  {
    name: 'directory, phone numbers',
    opens: ['HoverPopover'],
    show: async (page) => {
      await foundInDirectory(page);
      await button(page, /^Phone numbers of/)
        .first()
        .click();
      await expect(popover(page)).toBeVisible();
      return dialog(page, 'Find Provider');
    },
  },
  {
    name: 'invitation',
    opens: ['InviteDialog'],
    show: async (page) => {
      await button(page, 'Directory').click();
      await page.getByText("Don't see the provider").click();
      await dialog(page, 'Build Your Network').getByRole('button', { name: 'Send', exact: true }).click();
      await expect(page.getByText('Full name is required.')).toBeVisible();
      return dialog(page, 'Build Your Network');
    },
    after: (page) => page.keyboard.press('Escape'),
  },
  {
    name: 'saved addresses, loading',
    opens: ['SavedAddressesDialog'],
    at: wide,
    fresh: true,
    show: async (page) => {
      await hanging(page, ADDRESSES);
      return savedAddresses(page);
    },
    after: unroute,
  },
  {
    name: 'saved addresses, not loaded',
    opens: ['SavedAddressesDialog'],
    at: wide,
    fresh: true,
    show: async (page) => {
      await failing(page, ADDRESSES);
      const box = await savedAddresses(page);
      await expect(button(page, 'Try again')).toBeVisible();
      return box;
    },
    after: unroute,
  },
  {
    name: 'discard',
    fresh: true,
    show: async (page) => {
      await button(page, 'Discard').click();
      return dialog(page, 'Discard this release?');
    },
  },
  {
    name: 'leave',
    opens: ['LeaveDialog'],
    show: async (page) => {
      await page.getByRole('textbox', { name: 'Subject' }).fill('Right knee');
      await button(page, 'Back').click();
      return dialog(page, 'Save this draft?');
    },
    // The input would come back with the next visit.
    after: (page) => page.evaluate(() => sessionStorage.clear()),
  },
  {
    name: 'form not loaded',
    show: async (page) => {
      await failing(page, '**/api/releasetypes');
      await page.goto('/release/new');
      await expect(page.getByRole('heading', { name: 'The form could not be loaded' })).toBeVisible();
    },
    after: unroute,
  },
];

const attachDialog = async (page: Page) => {
  await button(page, 'Attach and describe…').click();
  return dialog(page, 'Attach a new file');
};
async function upload(page: Page, file: Data['clinical']) {
  const box = await attachDialog(page);
  await box.locator('input[type=file]').setInputFiles(file);
  if (!file.name.endsWith('.xml')) {
    await box.getByRole('combobox', { name: 'Confidentiality' }).click();
    await page.getByRole('option', { name: 'Normal' }).click();
  }
  await button(page, 'Attach').click();
}
const UPLOADS = '**/api/messages/*/attachments';
const TEXT = { name: 'Second note.txt', mimeType: 'text/plain', buffer: Buffer.from('Right knee pain.') };
const draftViews: View[] = [
  {
    name: 'review',
    opens: ['ReviewDialog'],
    show: async (page) => {
      await button(page, 'Review and send').click();
      return dialog(page, 'Review and send');
    },
  },
  {
    name: 'fax pages',
    opens: ['FaxPages'],
    at: wide,
    fresh: true,
    show: async (page) => {
      await page.locator('#release-to').fill('740-555-0120');
      await page.keyboard.press('Enter');
      await button(page, 'Review and send').click();
      await button(page, 'Preview fax').click();
      const pages = dialog(page, 'Pages of the fax');
      await expect(pages.locator('canvas').first()).toBeVisible({ timeout: 20_000 });
      return pages;
    },
    after: async (page) => {
      await page.keyboard.press('Escape');
      await button(page, 'Remove 740-555-0120').click();
    },
  },
  {
    name: 'attach',
    opens: ['AttachDialog'],
    show: async (page) => {
      const box = await attachDialog(page);
      await box.locator('input[type=file]').setInputFiles([{ name: 'viewer.exe', mimeType: '', buffer: Buffer.from('x') }]);
      await button(page, 'Attach').click();
      await expect(box.getByRole('alert').first()).toBeVisible();
      return box;
    },
  },
  {
    name: 'edit a file',
    opens: ['EditAttachmentDialog'],
    show: async (page) => {
      await button(page, /^Edit /)
        .first()
        .click();
      return dialog(page, 'Edit attachment');
    },
  },
  {
    name: 'convert a file',
    opens: ['ConversionMenu'],
    show: async (page) => {
      await button(page, /^Convert .*txt/)
        .first()
        .click();
      return menu(page);
    },
  },
  {
    name: 'remove a file',
    opens: ['Attachments'],
    show: async (page) => {
      await button(page, /^Remove .*txt/)
        .first()
        .click();
      return dialog(page, 'Delete Attachment');
    },
  },
  {
    name: 'preview of a file',
    show: async (page) => {
      await page.getByText('Attachment preview').click();
      await expect(pageDrawn(page)).toBeVisible();
    },
  },
  {
    name: 'upload under way',
    fresh: true,
    show: async (page) => {
      await hanging(page, UPLOADS);
      await upload(page, TEXT);
      await expect(page.getByText(/^\d+% of/)).toBeVisible();
    },
    after: unroute,
  },
  {
    name: 'upload that failed',
    fresh: true,
    show: async (page) => {
      await failing(page, UPLOADS);
      await upload(page, TEXT);
      await expect(button(page, /^Try again:/)).toBeVisible();
    },
    after: unroute,
  },
  {
    name: 'patient of the document',
    opens: ['OverwriteDialog'],
    at: wide,
    fresh: true,
    show: async (page, data) => {
      await upload(page, data.clinical);
      return dialog(page, 'Overwrite patient details?');
    },
    // The attachment is removed again.
    after: async (page) => {
      await button(page, 'Remove Summary of care.xml').click();
      await button(page, 'OK').click();
      await expect(page.getByText('Attachment has been deleted.')).toBeVisible();
    },
  },
];

const referral = {
  id: '0198f1aa-7a10-7000-8000-000000000004',
  type: '360x',
  role: 'Initiator',
  conversationStatus: 'Requested',
  patientName: 'Tenney, Marisol',
  reason: 'Chest pain at rest',
  ownAddress: 'records@larkfield.direct.carepost.example',
  otherAddress: 'intake@summit-ortho.direct.carepost.example',
  dueDate: '2026-12-01',
  turn: 'Recipient',
  isOwnTurn: false,
  isOverdue: true,
  isUndelivered: false,
  messageId: '0198f1aa-7a10-7000-8000-000000000005',
  createdDate: '2026-11-01T10:00:00Z',
  modifiedDate: '2026-11-02T10:00:00Z',
};
/** A sent message becomes the latest of a referral in which this organization has to act. */
async function asReferral(page: Page, id: string) {
  await answer(page, `**/api/messages/${id}`, (m) => ({
    ...m,
    conversation: { conversationId: referral.id, type: '360x', conversationStatus: 'Accepted' },
  }));
  const step = { messageId: referral.messageId, at: referral.createdDate };
  await page.route(`**/api/conversations/${referral.id}`, (route) =>
    route.fulfill({
      json: {
        ...referral,
        conversationStatus: 'Accepted',
        isOverdue: false,
        isOwnTurn: true,
        steps: [
          { ...step, action: 'Request', isOwn: true, note: '' },
          { ...step, messageId: id, action: 'Accept', isOwn: false, note: 'We see the patient next week.' },
        ],
        actions: ['Appointment', 'Cancel'],
      },
    }),
  );
  await page.goto(`/release/${id}`);
}
const sentViews: View[] = [
  {
    name: 'more',
    opens: ['Actions'],
    at: narrow,
    show: async (page) => {
      await button(page, 'More').click();
      return menu(page);
    },
  },
  {
    name: 'activity',
    opens: ['ActivityDialog'],
    at: wide,
    show: async (page) => {
      await button(page, 'Activity').click();
      return dialog(page, 'Activity');
    },
  },
  {
    name: 'delivery summary',
    opens: ['Actions', 'SummaryDialog'],
    at: wide,
    show: async (page) => {
      await button(page, 'More').click();
      await page.getByRole('menuitem', { name: 'Send Delivery Summary to Intake' }).click();
      return dialog(page, 'Send Delivery Summary to Intake');
    },
  },
  {
    name: 'delete',
    opens: ['DeleteMessageDialog'],
    at: wide,
    show: async (page) => {
      await button(page, 'Delete').click();
      return dialog(page, 'Delete Message');
    },
  },
  {
    name: 'an answer in its referral',
    opens: ['RespondDialog'],
    fresh: true,
    show: async (page, data) => {
      await asReferral(page, data.delivered);
      await button(page, 'Appointment').click();
      const opened = dialog(page, 'Appointment');
      await opened.getByRole('button', { name: 'Send' }).click();
      await expect(opened.locator('[aria-invalid="true"]').first()).toBeVisible();
      return opened;
    },
    after: unroute,
  },
];
async function byFax(page: Page, id: string, more = {}) {
  let delivery = '';
  await answer(page, `**/api/messages/${id}`, (m) => {
    const [first] = m.deliveries as { id: string }[];
    delivery = first!.id;
    return { ...m, deliveries: [{ ...first, kind: 'Fax', address: '+17405550197' }] };
  });
  const call = { ...CALL, number: 1, fromNumber: '740-555-0110', state: 'Finished', firstPage: 1, confirmedPages: 0 };
  const ended = { startedAt: CALL.at, endedAt: CALL.at, explanation: CALL.words, words: 'The line was cut', log: 'T.30 log' };
  await page.route(`**/api/messages/${id}/fax`, (route) =>
    route.fulfill({
      json: {
        items: [
          {
            deliveryId: delivery,
            toNumber: '740-555-0197',
            fromNumber: '740-555-0110',
            pages: 3,
            confirmedPages: 0,
            now: CALL.words,
            canSendAgain: true,
            canCancel: false,
            ...more,
            attempts: [{ ...call, ...ended }],
          },
        ],
      },
    }),
  );
  await page.goto(`/release/${id}`);
}
const NEW = heading('New release');
const included = (page: Page) => dialog(page, 'Include the attachments?');

const referrals = {
  items: [
    referral,
    { ...referral, id: '0198f1aa-7a10-7000-8000-000000000006', isOverdue: false, isUndelivered: true },
    {
      ...referral,
      id: '0198f1aa-7a10-7000-8000-000000000007',
      role: 'Recipient',
      conversationStatus: 'NoShow',
      isOverdue: false,
      isOwnTurn: true,
    },
  ],
  totalCount: 3,
  totalIsCapped: false,
};

const failedChart = {
  id: '0198f1aa-7a10-7000-8000-0000000000f1',
  messageId: '0198f1aa-7a10-7000-8000-0000000000f2',
  attachmentId: '0198f1aa-7a10-7000-8000-0000000000f3',
  fileName: 'Lab report.pdf',
  subject: 'Lab of today',
  fromName: 'County Lab',
  fromAddress: 'results@lab.example',
  patientName: 'Tenney, Marisol J',
  integrationId: '0198f1aa-7a10-7000-8000-0000000000f4',
  integrationName: 'Maple Street EHR',
  integrationType: 'Fhir',
  state: 'Failed',
  explanation: 'The EHR refused the document.',
  filedBy: 'rule Labs',
  at: '2026-11-20T10:00:00Z',
  nextAt: null,
};
const withFailedCharts = async (page: Page) => {
  const kept = { ...failedChart, id: '0198f1aa-7a10-7000-8000-0000000000f5', subject: 'Visit note', state: 'WithdrawalFailed' };
  const items = [failedChart, kept];
  await page.route('**/api/failedmessages/charts?*', (route) =>
    route.fulfill({ json: { items, totalCount: items.length, totalIsCapped: false } }),
  );
  await page.goto('/release/failed?view=charts');
};

export const release = area({
  '/referrals': {
    as: 'dana',
    path: () => '/referrals',
    ready: heading('Referrals'),
    views: [
      {
        name: 'a new referral',
        opens: ['EditDialog'],
        show: async (page) => {
          await button(page, 'From a draft').click();
          return dialog(page, 'New referral');
        },
      },
      {
        name: 'no draft to send',
        opens: ['NoDraft'],
        fresh: true,
        show: async (page) => {
          await page.route('**/api/messages/_search', (route) =>
            route.fulfill({ json: { items: [], totalCount: 0, totalIsCapped: false } }),
          );
          await page.reload();
          await button(page, 'From a draft').click();
          await expect(dialog(page, 'New referral').getByText(/^There is no draft\./)).toBeVisible();
          return dialog(page, 'New referral');
        },
        after: unroute,
      },
      {
        name: 'overdue and not delivered',
        fresh: true,
        show: async (page) => {
          await page.route('**/api/conversations/tracked', (route) => route.fulfill({ json: referrals }));
          await page.reload();
          await expect(page.getByText('Overdue: not answered').first()).toBeVisible();
        },
        after: unroute,
      },
      {
        name: 'none is overdue',
        fresh: true,
        show: async (page) => {
          await page.goto('/referrals?overdue=true');
          await expect(page.getByRole('heading', { name: 'No referral is overdue' })).toBeVisible();
        },
      },
    ],
  },
  '/release/': [
    { as: 'dana', path: () => '/release', ready: rowsOf('Releases'), views: releaseViews },
    { as: 'dana', about: 'drafts', path: () => '/release?view=drafts', ready: rowsOf('Releases') },
    {
      as: 'nia',
      about: 'without messages',
      path: () => '/release',
      ready: (page) => page.getByRole('heading', { name: 'Nothing released yet' }),
    },
  ],
  '/release/$id': [
    {
      as: 'dana',
      about: 'delivered',
      path: (data) => `/release/${data.delivered}`,
      ready: (page) => page.getByRole('heading', { name: 'Delivery' }),
      views: sentViews,
    },
    {
      as: 'dana',
      about: 'failed',
      path: (data) => `/release/${data.failed}`,
      ready: (page) => page.getByRole('heading', { name: 'Delivery' }),
      views: [
        {
          name: 'by fax',
          opens: ['FaxCalls'],
          fresh: true,
          show: async (page, data) => {
            await byFax(page, data.failed);
            await button(page, 'Show 1 call').click();
            await button(page, 'Send again').click();
            return dialog(page, 'Send the fax again?');
          },
          after: unroute,
        },
        {
          name: 'by fax, under way',
          opens: ['CancelFax'],
          fresh: true,
          show: async (page, data) => {
            const cancelProblem = 'The fax could not be cancelled and continues. The call was answered already.';
            await byFax(page, data.failed, { now: 'Sending page 2 of 3', canSendAgain: false, canCancel: true, cancelProblem });
            await button(page, 'Cancel fax').click();
            return dialog(page, 'Cancel the fax?');
          },
          after: unroute,
        },
      ],
    },
  ],
  '/release/failed': [
    {
      as: 'dana',
      path: () => '/release/failed',
      ready: rowsOf('Undelivered messages'),
      views: [
        { name: 'row menu', show: firstRowMenu },
        {
          name: 'what can be done',
          at: wide,
          show: async (page) => {
            await button(page, /^More about/)
              .first()
              .click();
            await expect(button(page, 'Try again').first()).toBeVisible();
          },
        },
        {
          name: 'acknowledge all',
          show: async (page) => {
            await button(page, 'Acknowledge all').click();
            return dialog(page, 'Acknowledge all failures?');
          },
        },
        {
          name: 'not loaded',
          show: async (page) => {
            await failing(page, '**/api/failedmessages?*');
            await page.reload();
            await expect(page.getByRole('heading', { name: 'The messages could not be loaded' })).toBeVisible({ timeout: 15_000 });
          },
          after: unroute,
        },
        {
          name: 'charts',
          fresh: true,
          show: async (page) => {
            await withFailedCharts(page);
            await expect(page.getByText(/Still in the chart: could not be taken back/).first()).toBeVisible();
          },
          after: unroute,
        },
        {
          name: 'taken back from a chart',
          fresh: true,
          show: async (page) => {
            await withFailedCharts(page);
            await fromRowMenu(page, 'Take back');
            return dialog(page, 'Take back from the chart');
          },
          after: unroute,
        },
      ],
    },
    {
      as: 'nia',
      about: 'without messages',
      path: () => '/release/failed',
      ready: (page) => page.getByRole('heading', { name: 'Nothing failed' }),
    },
  ],
  '/release/new': { as: 'dana', path: () => '/release/new', ready: NEW, views: [...newReleaseViews, ...chartViews] },
  '/release/draft/$id': {
    as: 'dana',
    path: (data) => `/release/draft/${data.draft}`,
    ready: (page) => page.getByRole('button', { name: 'Edit Visit note.txt' }),
    views: [...draftViews, ...chartDraftViews],
  },
  '/release/forward/$id': {
    as: 'dana',
    path: (data) => `/release/forward/${data.pdf}`,
    ready: included,
    views: [{ name: 'attachments', opens: ['IncludeDialog'], fresh: true, show: async (page) => included(page) }],
  },
  '/release/forward/draft/$id': { as: 'dana', path: (data) => `/release/forward/draft/${data.forward}`, ready: heading('Forward') },
  '/release/reply/$id': {
    as: 'dana',
    path: (data) => `/release/reply/${data.pdf}`,
    ready: heading('Reply'),
    views: [
      {
        name: 'the document that is answered',
        at: narrow,
        show: async (page) => {
          await page.getByText('Their document', { exact: true }).click();
          const original = page.getByRole('region', { name: 'Original message' });
          await expect(original).toBeVisible();
        },
        after: (page) => page.getByText('Your reply', { exact: true }).click(),
      },
    ],
  },
});
