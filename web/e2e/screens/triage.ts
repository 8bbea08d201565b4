import type { Page } from '@playwright/test';
import { expect } from '../support';
import { area, button, dialog, failing, firstRowMenu, fromRowMenu, heading, menu, popover, unroute, type View, wide } from './kit';

const ID = '0198f1aa-7a10-7000-8000-000000000061';
const FILE = '0198f1aa-7a10-7000-8000-000000000062';
const MESSAGE = '0198f1aa-7a10-7000-8000-000000000063';
const dana = { id: '0198f1aa-7a10-7000-8000-000000000064', name: 'Dana Whitfield' };
const when = '2026-11-20T09:31:00Z';
const look = (more: object = {}) => ({ width: 612, height: 792, isBlank: false, separator: null, ...more });
const pages = [look(), look(), look({ separator: 'Records' }), look(), look({ isBlank: true })];
const page = (n: number) => ({ file: 0, page: n, turn: n === 2 ? 1 : 0 });
const file = {
  id: FILE,
  position: 0,
  name: 'Scan 0931.pdf',
  mimeType: 'application/pdf',
  sizeInBytes: 482_113,
  state: 'Ready',
  problem: null,
  pageCount: 5,
  isWhole: false,
  pages,
};
const refused = {
  ...file,
  id: MESSAGE,
  position: 1,
  name: 'Broken.pdf',
  state: 'Refused',
  problem: 'It is damaged and cannot be opened.',
  pages: [],
};
const batch = {
  id: ID,
  state: 'Open',
  files: [file, refused],
  parts: [
    { name: 'Operative note', documentType: null, assignedTo: null, pages: [page(1), page(2)] },
    { name: 'Records', documentType: null, assignedTo: null, pages: [page(4)] },
  ],
  leftOut: [page(3), page(5)],
  documents: [],
  createdBy: dana,
  createdDate: when,
  modifiedBy: dana.name,
  modifiedDate: when,
  filedDate: null,
  version: 2,
};
const halfFiled = {
  ...batch,
  state: 'Filing',
  documents: [
    { messageId: MESSAGE, name: 'Operative note', isFiled: true, problem: null },
    { messageId: FILE, name: 'Records', isFiled: false, problem: 'It could not be created. Please try again.' },
  ],
};
const row = {
  id: ID,
  state: 'Open',
  fileNames: ['Scan 0931.pdf', 'Broken.pdf'],
  fileCount: 2,
  refusedCount: 1,
  isReading: false,
  pageCount: 5,
  pagesRead: 5,
  documentCount: 2,
  filedCount: 0,
  failedCount: 0,
  createdBy: dana,
  createdDate: when,
  modifiedBy: dana.name,
  modifiedDate: when,
};

/** Batches as the server would show them. */
async function withBatch(at: Page, shown: object = batch, rows: object[] = [row]) {
  await at.route('**/api/triage', (route) => route.fulfill({ json: { items: rows } }));
  await at.route(`**/api/triage/${ID}`, (route) => route.fulfill({ json: shown }));
}
const open = (name: string, shown: object, ready: (at: Page) => Promise<void>): View => ({
  name,
  show: async (at) => {
    await withBatch(at, shown);
    await at.goto(`/triage/${ID}`);
    await ready(at);
  },
  after: unroute,
});
const seen = (words: string | RegExp) => async (at: Page) => {
  await expect(at.getByText(words).first()).toBeVisible();
};

const listViews: View[] = [
  {
    name: 'batches',
    at: ['wide', 'narrow'],
    show: async (at) => {
      await withBatch(at);
      await at.goto('/triage');
      await seen('Split into 2 documents')(at);
    },
  },
  {
    name: 'column menu',
    opens: ['ColumnFilterMenu'],
    at: wide,
    show: async (at) => {
      await button(at, 'Sort and filter Files').click();
      return popover(at);
    },
  },
  { name: 'row menu', at: wide, show: firstRowMenu },
  {
    name: 'discard',
    opens: ['AskDialog'],
    at: wide,
    show: async (at) => {
      await fromRowMenu(at, 'Discard');
      return dialog(at, 'Discard this batch?');
    },
    after: unroute,
  },
  {
    name: 'separator sheet',
    opens: ['SheetDialog'],
    at: wide,
    show: async (at) => {
      await at.goto('/triage');
      await button(at, 'Separator sheet').click();
      return dialog(at, 'Separator sheet');
    },
  },
  {
    name: 'upload that is refused',
    opens: ['UploadDialog'],
    show: async (at) => {
      await withBatch(at);
      await at.route('**/api/triage/*/files', (route) =>
        route.fulfill({ status: 422, json: { message: 'File is empty.', modelState: { file: ['File is empty.'] } } }),
      );
      await at.goto('/triage');
      await at
        .locator('input[type="file"]')
        .first()
        .setInputFiles({ name: 'Empty.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF') });
      await expect(at.getByRole('alert').filter({ hasText: 'File is empty.' })).toBeVisible();
      return dialog(at, 'Uploaded');
    },
    after: unroute,
  },
  {
    name: 'not loaded',
    show: async (at) => {
      await failing(at, '**/api/triage');
      await at.goto('/triage');
      await expect(at.getByRole('heading', { name: 'The batches could not be loaded' })).toBeVisible();
    },
    after: unroute,
  },
];

const boardViews: View[] = [
  { ...open('board', batch, seen('Left out')), after: undefined },
  {
    name: 'move to',
    opens: ['MoveMenu'],
    show: async (at) => {
      await button(at, /^Move to/).click();
      return menu(at);
    },
  },
  {
    name: 'originals',
    opens: ['Head'],
    show: async (at) => {
      await button(at, 'Originals and more').click();
      return menu(at);
    },
    after: unroute,
  },
  open('reading', { ...batch, files: [{ ...file, state: 'Reading', pages: [] }], parts: [], leftOut: [] }, seen('Reading the pages')),
  open('nothing in it', { ...batch, files: [refused], parts: [], leftOut: [] }, seen('There are no pages')),
  open('filing with a failure', halfFiled, seen('1 of 2 documents in the Intake')),
  {
    name: 'give up',
    show: async (at) => {
      await withBatch(at, halfFiled);
      await at.goto(`/triage/${ID}`);
      await button(at, 'Discard them').click();
      return dialog(at, 'Discard the failed documents?');
    },
    after: unroute,
  },
  open(
    'filed',
    { ...batch, state: 'Filed', documents: [{ messageId: MESSAGE, name: 'Operative note', isFiled: true, problem: null }] },
    seen('1 document in the Intake'),
  ),
];

/** Triage. */
export const triage = area({
  '/triage/': { as: 'dana', path: () => '/triage', ready: heading('Triage'), views: listViews },
  '/triage/$id': {
    as: 'dana',
    path: () => `/triage/${MESSAGE}`,
    ready: (at) => at.getByRole('heading', { name: 'This batch could not be loaded' }),
    views: boardViews,
  },
});
