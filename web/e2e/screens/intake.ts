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
  pageDrawn,
  popover,
  rowsOf,
  tab,
  unroute,
  wide,
  type View,
} from './kit';

const INTAKE = 'Intake messages';
const intakeViews: View[] = [
  { name: 'row menu', opens: ['DataTable'], at: wide, show: firstRowMenu },
  {
    name: 'delete',
    opens: ['DeleteMessageDialog'],
    at: wide,
    show: async (page) => {
      await fromRowMenu(page, 'Delete');
      return dialog(page, 'Delete Message');
    },
  },
  ...['Received', 'Status', 'Source', 'To', 'Processed as'].map(
    (filter): View => ({
      name: `filter ${filter}`,
      opens: ['FilterShell'],
      at: wide,
      show: async (page) => {
        await page
          .locator('.cp-filter')
          .getByRole('button', { name: new RegExp(`^${filter}`) })
          .click();
        return popover(page);
      },
    }),
  ),
  {
    name: 'filters',
    opens: ['PhoneIntake'],
    at: narrow,
    show: async (page) => {
      await button(page, /^Filters/).click();
      return dialog(page, 'Filters');
    },
  },
  {
    name: 'assign',
    opens: ['AssignDialog'],
    at: wide,
    show: async (page) => {
      await fromRowMenu(page, 'Assign');
      return dialog(page, 'Assign 1 message');
    },
  },
  {
    name: 'selection',
    at: wide,
    show: async (page) => {
      await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
      await expect(page.getByRole('toolbar', { name: 'Selected rows' })).toBeVisible();
    },
  },
  {
    name: 'delete several',
    at: wide,
    show: async (page) => {
      await page.getByRole('toolbar', { name: 'Selected rows' }).getByRole('button', { name: 'Delete' }).click();
      return dialog(page, /^Delete \d+ messages\?$/);
    },
  },
  {
    name: 'process what nobody could find',
    opens: ['RefusedDialog'],
    at: wide,
    fresh: true,
    show: async (page) => {
      await page.route('**/api/messages/bulk', async (route) => {
        const { ids } = route.request().postDataJSON() as { ids: string[] };
        const refused = ids.map((id) => ({ id, reasons: ['No patient is named.'], canBeConfirmed: true }));
        await route.fulfill({ json: { done: [], refused } });
      });
      await page.getByRole('table', { name: INTAKE }).getByRole('checkbox').nth(1).check();
      await button(page, 'Mark processed').click();
      return dialog(page, 'Process without patient or type?');
    },
    after: unroute,
  },
  {
    name: 'search',
    at: narrow,
    show: async (page) => {
      await button(page, 'Search').click();
      await expect(page.getByRole('searchbox', { name: 'Filter messages' })).toBeVisible();
    },
  },
  {
    name: 'filters set, nothing found',
    show: async (page) => {
      await page.goto('/intake?status=Failed&source=Fax,Upload&processed=Printed&view=mine&from=2000-01-01');
      await expect(page.getByRole('heading', { name: 'No message matches these filters' })).toBeVisible();
    },
  },
  {
    name: 'not loaded',
    show: async (page) => {
      await failing(page, '**/api/{intake,messages}');
      await page.goto('/intake');
      await expect(page.getByRole('heading', { name: 'The messages could not be loaded' })).toBeVisible();
    },
    after: unroute,
  },
  {
    name: 'loading',
    show: async (page) => {
      await hanging(page, '**/api/{intake,messages}');
      await page.goto('/intake');
      await expect(page.locator('.cp-bone').first()).toBeVisible();
    },
    after: unroute,
  },
];
const panes: View[] = [
  {
    name: 'patient',
    at: narrow,
    show: async (page) => {
      await tab(page, /^Patient/).click();
      await expect(page.getByRole('textbox', { name: /Last name/ })).toBeVisible();
    },
  },
  {
    name: 'details',
    at: narrow,
    show: async (page) => {
      await tab(page, 'Details').click();
      await expect(page.getByRole('heading', { name: 'Attachments' })).toBeVisible();
    },
  },
];
const messageViews: View[] = [
  {
    name: 'zoom',
    opens: ['PdfView'],
    at: wide,
    show: async (page) => {
      await button(page, /^Zoom:/).click();
      return menu(page);
    },
  },
  {
    name: 'export',
    opens: ['MessageHeader'],
    at: wide,
    show: async (page) => {
      await button(page, 'Export').click();
      return menu(page);
    },
  },
  {
    name: 'menu of a file',
    opens: ['AttachmentList'],
    at: wide,
    show: firstRowMenu,
  },
  {
    name: 'export',
    opens: ['PhoneActions'],
    at: narrow,
    show: async (page) => {
      await button(page, 'Export').click();
      return menu(page);
    },
  },
  {
    name: 'more',
    opens: ['PhoneActions'],
    at: narrow,
    show: async (page) => {
      await button(page, 'More').click();
      return menu(page);
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
    name: 'activity',
    opens: ['ActivityDialog'],
    show: async (page) => {
      if (await tab(page, 'Details').isVisible()) await tab(page, 'Details').click();
      await button(page, 'Show all').click();
      await expect(dialog(page, 'Activity').getByRole('table').locator('tbody tr').first()).toBeVisible();
      return dialog(page, 'Activity');
    },
  },
  ...panes,
  {
    name: 'find, and a wrong birth date',
    at: wide,
    show: async (page) => {
      await button(page, 'Find in document').click();
      await page.getByRole('textbox', { name: 'Find in document' }).fill('the');
      await expect(page.getByText(/\d+ on \d+ page/)).toBeVisible();
      await page.getByRole('textbox', { name: 'Birth date' }).fill('13452026');
      await page.keyboard.press('Tab');
      await expect(page.getByText('Please enter a valid value for this field.')).toBeVisible();
    },
  },
  {
    name: 'somebody else has it open',
    fresh: true,
    show: async (page, data, as) => {
      await (await as('priya')).goto(`/intake/${data.pdf}`);
      await expect(page.locator('.cp-presence')).toBeVisible();
    },
    after: async (_, as) => (await as('priya')).goto('/intake'),
  },
  {
    name: 'questions before it is processed',
    opens: ['GapsDialog'],
    fresh: true,
    show: async (page, data) => {
      // Nobody has said whose it is, nor what it is.
      await answer(page, `**/api/messages/${data.pdf}`, (m) => ({
        ...m,
        isProcessed: false,
        status: 'Received',
        patient: {},
        attachments: (m.attachments as object[]).map((a) => ({ ...a, attachmentMeta: {} })),
      }));
      await page.reload();
      await button(page, 'Process').click();
      return dialog(page, 'Before this is processed');
    },
    after: unroute,
  },
  {
    name: 'patient and details in a drawer',
    opens: ['MessageView'],
    at: ['medium'],
    show: async (page) => {
      await button(page, 'Patient and details').click();
      return dialog(page, 'Patient and details');
    },
  },
];

const fileViews = (names: string[]): View[] =>
  names.map((name) => ({
    name,
    at: wide,
    show: async (page) => {
      await page.locator('.cp-att-open').filter({ hasText: name }).click();
      await expect(pageDrawn(page).or(page.getByRole('heading', { name: 'This document could not be opened' }))).toBeVisible();
    },
  }));
const summaryViews: View[] = [
  {
    name: 'sections',
    show: async (page) => {
      await tab(page, 'CDA Explorer').click();
      await expect(page.getByRole('navigation', { name: 'Sections' })).toBeVisible();
    },
  },
  {
    name: 'patient of the document',
    opens: ['FromDocument'],
    at: wide,
    show: async (page) => {
      const name = page.getByRole('textbox', { name: /First name/ });
      await answer(page, '**/attachments/*/patient', (patient) => ({ ...patient, firstName: 'Somebody', lastName: 'Else' }));
      await expect(name).toBeVisible();
      await button(page, 'From document').click();
      return dialog(page, 'Overwrite patient details');
    },
    after: unroute,
  },
];
const mixedViews: View[] = [
  ...fileViews(['Visit note.txt', 'Damaged.pdf']),
  {
    name: 'its words',
    at: wide,
    show: async (page) => {
      await button(page, 'Open').click();
    },
  },
];

/** Intake and printing. */
export const intake = area({
  '/intake/': [
    { as: 'dana', path: () => '/intake?from=2000-01-01', ready: rowsOf(INTAKE), views: intakeViews },
    {
      as: 'nia',
      about: 'without messages',
      path: () => '/intake',
      ready: (page) => page.getByRole('heading', { name: 'No messages yet' }),
    },
  ],
  '/intake/$id': [
    { as: 'dana', about: 'PDF', path: (data) => `/intake/${data.pdf}`, ready: pageDrawn, views: messageViews },
    {
      as: 'dana',
      about: 'C-CDA',
      path: (data) => `/intake/${data.summary}`,
      ready: (page) => page.frameLocator('iframe').locator('body *').first(),
      views: summaryViews,
    },
    { as: 'dana', about: 'scan', path: (data) => `/intake/${data.scan}`, ready: pageDrawn },
    { as: 'dana', about: 'picture, text, damaged file', path: (data) => `/intake/${data.mixed}`, ready: pageDrawn, views: mixedViews },
  ],
  '/print': [
    { as: 'dana', path: (data) => `/print?job=${data.printJob}`, ready: pageDrawn, at: wide },
    { as: 'dana', about: 'terms', path: () => '/print?job=terms', ready: heading('Terms of service'), at: wide },
  ],
});
