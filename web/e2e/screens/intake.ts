import { expect } from '../support';
import { chartViews } from './intakeChart';
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
    name: 'export messages',
    opens: ['ExportDialog'],
    at: wide,
    show: async (page) => {
      await fromRowMenu(page, 'Export');
      return dialog(page, 'Export 1 message');
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
    opens: ['PickDialog'],
    at: wide,
    show: async (page) => {
      await fromRowMenu(page, 'Assign');
      return dialog(page, 'Assign 1 message');
    },
  },
  {
    name: 'snooze',
    at: wide,
    show: async (page) => {
      await fromRowMenu(page, 'Snooze');
      return dialog(page, 'Snooze 1 message');
    },
  },
  {
    name: 'saved filters',
    opens: ['SavedFilters'],
    at: wide,
    show: async (page) => {
      await button(page, 'Saved filters').click();
      return menu(page);
    },
  },
  {
    name: 'save a filter',
    opens: ['SaveDialog'],
    at: wide,
    show: async (page) => {
      await button(page, 'Saved filters').click();
      await page.getByRole('menuitem', { name: 'Save these filters' }).click();
      return dialog(page, 'Save filter');
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
      await button(page, 'File').click();
      return dialog(page, 'File without patient or type?');
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
    opens: ['ZoomMenu'],
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
      // It has no patient and no type, and the document names no patient.
      const nobody = { status: 'Completed', patient: null, marks: [], page: null };
      await page.route('**/patient/extract', (route) => route.fulfill({ json: nobody }));
      await answer(page, `**/api/messages/${data.pdf}`, (m) => ({
        ...m,
        isProcessed: false,
        status: 'Received',
        patient: {},
        attachments: (m.attachments as object[]).map((a) => ({ ...a, attachmentMeta: {} })),
      }));
      await page.reload();
      await button(page, 'File and next').click();
      return dialog(page, 'Check before filing');
    },
    after: unroute,
  },
  {
    name: 'a document that names somebody else',
    opens: ['DiffersDialog'],
    fresh: true,
    show: async (page, data) => {
      const patient = { firstName: 'Marian', lastName: 'Strand', birthDate: '1958-04-19', gender: 'F', patientIds: [] };
      const document = { attachmentId: data.pdf, fileName: 'Fax.pdf', patient, fields: ['name', 'birthDate'] };
      // Nothing is proposed, and so nothing is saved, which the server would refuse for a message that is filed.
      const whole = {
        documentType: 'Progress note',
        documentDate: '2026-01-15',
        documentDateType: 'selected',
        confidentiality: 'Normal',
      };
      await page.route('**/patient/extract', (route) =>
        route.fulfill({ json: { status: 'Completed', patient: null, marks: [], page: null } }),
      );
      const chosen = { firstName: 'Marion', lastName: 'Stroud', birthDate: '1985-04-19', gender: 'F', patientIds: [] };
      await answer(page, `**/api/messages/${data.pdf}`, (m) => ({
        ...m,
        isProcessed: false,
        status: 'Received',
        patient: chosen,
        attachments: (m.attachments as object[]).map((a) => ({ ...a, attachmentMeta: whole })),
      }));
      await page.route(`**/api/messages/${data.pdf}/patient/differences`, (route) => route.fulfill({ json: { items: [document] } }));
      await page.reload();
      await button(page, 'File and next').click();
      return dialog(page, 'The document and the patient differ');
    },
    after: unroute,
  },
  {
    name: 'compare with a duplicate',
    opens: ['CompareDialog'],
    at: wide,
    fresh: true,
    show: async (page, data) => {
      const other = { id: data.mixed, likeness: 'SameFile', subject: 'Papers', fromName: 'Summit', fromAddress: '', status: 'Received' };
      await page.route(`**/api/messages/${data.pdf}/duplicates`, (route) =>
        route.fulfill({ json: { items: [{ ...other, createdDate: '2026-11-20T12:00:00Z' }] } }),
      );
      await page.reload();
      await button(page, 'Compare').click();
      await expect(pageDrawn(page)).toBeVisible();
      return dialog(page, 'The same file');
    },
    after: unroute,
  },
  {
    name: 'known patients and proposals',
    at: wide,
    fresh: true,
    show: async (page, data) => {
      const patient = {
        firstName: 'Marisol',
        lastName: 'Tenney',
        birthDate: '1968-05-02',
        gender: 'F',
        patientId: 'LFM-11873',
        patientIds: [],
      };
      const fields = [
        { field: 'lastName', agreement: 'Agrees' },
        { field: 'birthDate', agreement: 'Differs' },
      ];
      // The patient is asked for only until the message is done.
      await answer(page, `**/api/messages/${data.pdf}`, (message) => ({ ...message, isProcessed: false }));
      const known = { patient, certainty: 'Possible', percent: 61, fields, lastDate: '2026-11-20T12:00:00Z' };
      await page.route('**/api/patients/_match', (route) => route.fulfill({ json: { items: [known] } }));
      const because = { basis: 'Sender', word: null, matching: 14, of: 15 };
      const proposals = { documentType: { name: 'Progress note', because }, assignee: null };
      await page.route(`**/api/messages/${data.pdf}/proposals`, (route) => route.fulfill({ json: proposals }));
      await page.reload();
      await expect(button(page, 'Select Tenney, Marisol')).toBeVisible();
    },
    after: unroute,
  },
  {
    name: 'patient search',
    opens: ['PatientSearchDialog'],
    at: wide,
    show: async (page) => {
      await button(page, 'Patient search').click();
      return dialog(page, 'Patient search');
    },
  },
  {
    name: 'patient and details in a drawer',
    opens: ['NarrowLayout'],
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
    name: 'results with their chart',
    show: async (page) => {
      await page
        .getByRole('navigation', { name: 'Sections' })
        .getByRole('button', { name: /^Results/ })
        .click();
      await page.getByRole('region', { name: 'Entries' }).getByRole('button').first().click();
      await expect(page.locator('.cp-series')).toBeVisible();
    },
  },
  {
    name: 'sections being arranged',
    show: async (page) => button(page, 'Arrange sections').click(),
    after: async (page) => button(page, 'Done arranging').click(),
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

const asks = { id: '0198f1aa-7a10-7000-8000-0000000000a1', name: 'Dana Whitfield' };
const asked = { id: '0198f1aa-7a10-7000-8000-0000000000a2', name: 'Priya Nandakumar' };
const signer = {
  id: '0198f1aa-7a10-7000-8000-0000000000a3',
  signer: asked,
  requestedBy: asks,
  state: 'Waiting',
  note: 'Before Friday, please.',
  reason: '',
  askedOn: '2026-11-20T12:00:00Z',
  files: [],
  isOutdated: false,
  isOwn: true,
  canBeCancelled: true,
};
const settled = { ...signer, settledOn: '2026-11-21T12:00:00Z', isOwn: false, canBeCancelled: false };
const signedPdf = {
  attachmentId: '0198f1aa-7a10-7000-8000-0000000000a6',
  fileName: 'Plan (signed).pdf',
  state: 'Ready',
  signedBy: [asked],
  problem: '',
  sizeBytes: 51_200,
  lacksTimestamp: true,
  isOutdated: false,
  readyOn: '2026-11-21T12:00:05Z',
};
const signers = {
  documents: 'a',
  consent: 'I agree to sign these documents electronically.',
  files: [{ attachmentId: signedPdf.attachmentId, fileName: 'Plan.pdf', pages: 2 }],
  signedPdfs: [
    signedPdf,
    { ...signedPdf, attachmentId: signer.id, fileName: 'Scan (signed).pdf', state: 'Making', signedBy: [], lacksTimestamp: false },
    { ...signedPdf, attachmentId: asked.id, fileName: 'Form (signed).pdf', state: 'Failed', signedBy: [], problem: 'The PDF is damaged.' },
  ],
  items: [
    signer,
    {
      ...settled,
      id: '0198f1aa-7a10-7000-8000-0000000000a4',
      state: 'Signed',
      isOutdated: true,
      files: [{ attachmentId: '0198f1aa-7a10-7000-8000-0000000000a6', sha256: '3f'.repeat(32) }],
    },
    { ...settled, id: '0198f1aa-7a10-7000-8000-0000000000a5', state: 'Declined', reason: 'Not my patient.' },
  ],
};
/** Opens a dialog about the signatures of the message in view. */
const signing = (opens: string, name: string, title: string): View => ({
  name: title.toLowerCase(),
  opens: [opens],
  at: wide,
  fresh: true,
  show: async (page) => {
    await page.route('**/api/messages/*/signers', (route) => route.fulfill({ json: signers }));
    await page.reload();
    await page.getByRole('region', { name: 'Signatures' }).getByRole('button', { name }).first().click();
    return dialog(page, title);
  },
  after: unroute,
});
const signingViews: View[] = [
  signing('RequestSignaturesDialog', 'Request', 'Request signatures'),
  signing('SignDialog', 'Sign', 'Sign documents'),
  signing('DeclineDialog', 'Decline', 'Decline to sign'),
  signing('AskDialog', 'Withdraw the request to', 'Withdraw the request?'),
];
const signatureRow = {
  ...signer,
  messageId: '0198f1aa-7a10-7000-8000-0000000000a7',
  direction: 'Intake',
  isDraft: false,
  subject: 'Treatment plan',
  patientName: 'Tenney, Marisol',
  documentType: 'Progress note',
};
const signatureViews: View[] = [
  {
    name: 'waiting ones',
    fresh: true,
    show: async (page) => {
      const json = { items: [signatureRow], totalCount: 1, totalIsCapped: false };
      await page.route('**/api/messages/signatures?*', (route) => route.fulfill({ json }));
      await page.reload();
      await expect(page.getByText('Treatment plan').first()).toBeVisible();
    },
    after: unroute,
  },
];
const job = {
  id: '0198f1aa-7a10-7000-8000-0000000000b1',
  act: 'process',
  state: 'Done',
  total: 10_000,
  isCounted: true,
  done: 9_998,
  refused: 2,
  createdOn: '2026-11-20T12:00:00Z',
};
const refusedMessage = { id: signatureRow.messageId, subject: 'Treatment plan', reasons: ['No patient is named.'], canBeConfirmed: true };
const jobViews: View[] = [
  {
    name: 'all that match being processed',
    fresh: true,
    show: async (page) => {
      await page.route('**/api/messages/bulk/jobs', (route) => route.fulfill({ json: { items: [{ ...job, state: 'Running' }] } }));
      await page.reload();
      await expect(page.getByText('9,998 of 10,000 messages filed, 2 refused')).toBeVisible();
    },
    after: unroute,
  },
  {
    name: 'what of all was refused',
    at: wide,
    opens: ['JobRefusedDialog'],
    fresh: true,
    show: async (page) => {
      const ended = { ...job, endedOn: new Date().toISOString() };
      await page.route('**/api/messages/bulk/jobs', (route) => route.fulfill({ json: { items: [ended] } }));
      await page.route('**/api/messages/bulk/jobs/*/refused*', (route) =>
        route.fulfill({ json: { items: [refusedMessage], totalCount: 2, totalIsCapped: false } }),
      );
      await page.reload();
      await button(page, 'Show refused').click();
      await expect(dialog(page, '2 refused').getByText('No patient is named.')).toBeVisible();
      return dialog(page, '2 refused');
    },
    after: unroute,
  },
];

const RULE = '0198f1aa-7a10-7000-8000-0000000000d1';
const filedByRule = {
  items: [
    {
      id: '0198f1aa-7a10-7000-8000-0000000000e1',
      messageId: '0198f1aa-7a10-7000-8000-0000000000e2',
      at: '2026-11-20T10:00:00Z',
      ruleId: RULE,
      ruleName: 'Labs',
      patientName: 'Tenney, Marisol J',
      fileName: 'Lab report.pdf',
      fromName: 'County Lab',
      fromAddress: 'results@lab.example',
      integrationId: RULE,
      integrationName: 'Maple Street EHR',
      chartUrl: null,
      percent: 99,
      state: 'Filed',
      problem: '',
    },
  ],
  totalCount: 1,
  totalIsCapped: false,
};
const leftByRule = {
  items: [
    {
      messageId: '0198f1aa-7a10-7000-8000-0000000000e3',
      at: '2026-11-20T09:00:00Z',
      ruleId: RULE,
      ruleName: 'Labs',
      reason: 'the birth date differs',
      subject: 'Lab report',
      patientName: 'Tenney, Marisol',
      fromName: 'County Lab',
      fromAddress: 'results@lab.example',
      isProcessed: false,
    },
  ],
  totalCount: 1,
  totalIsCapped: false,
};
const filedCounts = { items: [{ ruleId: RULE, ruleName: 'Labs', filed: 1, failed: 0, withdrawn: 0, left: 1 }] };

const filedViews: View[] = [
  {
    name: 'filed and left to people',
    show: async (page) => {
      await page.route('**/api/filedbyrule?*', (route) => route.fulfill({ json: filedByRule }));
      await page.route('**/api/filedbyrule/left?*', (route) => route.fulfill({ json: leftByRule }));
      await page.route('**/api/filedbyrule/counts?*', (route) => route.fulfill({ json: filedCounts }));
      await page.reload();
      await expect(page.getByText('1 filed or on the way, 1 left to people')).toBeVisible();
    },
  },
  {
    name: 'row menu of a filed document',
    show: firstRowMenu,
  },
  {
    name: 'left to people',
    show: async (page) => {
      await page.getByRole('radiogroup', { name: 'Quick views' }).getByText('Left to people').click();
      await expect(page.getByText('The birth date differs').first()).toBeVisible();
    },
    after: unroute,
  },
];

/** Intake and printing. */
export const intake = area({
  '/intake/': [
    { as: 'dana', path: () => '/intake?from=2000-01-01', ready: rowsOf(INTAKE), views: [...intakeViews, ...jobViews] },
    {
      as: 'nia',
      about: 'without messages',
      path: () => '/intake',
      ready: (page) => page.getByRole('heading', { name: 'No messages yet' }),
    },
  ],
  '/intake/filedbyrule': { as: 'dana', path: () => '/intake/filedbyrule', ready: heading('Filed by rule'), views: filedViews },
  '/intake/$id': [
    {
      as: 'dana',
      about: 'PDF',
      path: (data) => `/intake/${data.pdf}`,
      ready: pageDrawn,
      views: [...messageViews, ...signingViews, ...chartViews],
    },
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
  '/signatures': { as: 'dana', path: () => '/signatures', ready: heading('Signatures'), views: signatureViews },
  '/print': [
    { as: 'dana', path: (data) => `/print?job=${data.printJob}`, ready: pageDrawn, at: wide },
    { as: 'dana', about: 'terms', path: () => '/print?job=terms', ready: heading('Terms of service'), at: wide },
  ],
});
