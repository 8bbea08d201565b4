import type { APIRequestContext, Page } from '@playwright/test';
import { apiOf, ccda, dialog, type Draft, field, type NewFile, SUMMIT, TEXT, unique } from './helpers';
import { afterwards, authenticate, expect, settled, test, WORK_MS } from './support';

/** Writing a release where the server, the bytes of a file or another window have a say in it. */

type Saved = { subject: string; attachments: { attachmentMeta: { confidentiality: string } }[] };
const openNew = async (page: Page) => {
  await page.goto('/release/new');
  await expect(page.getByRole('heading', { name: 'New release' })).toBeVisible();
};
const openDraft = async (page: Page, id: string) => {
  await page.goto(`/release/draft/${id}`);
  await expect(page.getByRole('heading', { name: 'Draft', exact: true })).toBeVisible();
};
const files = (page: Page) => page.getByRole('region', { name: 'Attachments' });
const attach = (page: Page, ...chosen: NewFile[]) =>
  files(page)
    .locator('input[type=file]')
    .setInputFiles(chosen.map(({ name, mimeType, buffer }) => ({ name, mimeType, buffer })));
/** A draft of Dana's that can be sent. */
const readyDraft = async (request: APIRequestContext, over: Partial<Draft> = {}) => {
  const types = await apiOf(request, 'dana').get<{ releaseTypes: { id: string; name: string }[] }>('/api/releasetypes');
  const releaseTypeId = types.releaseTypes.find((t) => t.name === 'Referral')!.id;
  return apiOf(request, 'dana').draft({ subject: unique('Ready'), to: [SUMMIT], more: { releaseTypeId }, ...over });
};
const saved = (request: APIRequestContext, id: string) => apiOf(request, 'dana').get<Saved>(`/api/messages/${id}`);

test.beforeEach(({ page }) => authenticate(page, 'dana'));

test('a file that is dropped on a release is converted by the server, and its pages are shown', async ({ page, request }) => {
  const id = await readyDraft(request);
  await openDraft(page, id);
  const data = await page.evaluateHandle(() => {
    const transfer = new DataTransfer();
    transfer.items.add(new File(['Right knee pain.'], 'Dropped.txt', { type: 'text/plain' }));
    return transfer;
  });
  await files(page).dispatchEvent('drop', { dataTransfer: data });
  await files(page)
    .getByRole('button', { name: /^Dropped\.txt/ })
    .click({ timeout: WORK_MS });
  await expect(page.locator('.rel-preview .react-pdf__Page canvas').first()).toBeVisible({ timeout: WORK_MS });
});

test('a clinical document brings its patient and its confidentiality; one about somebody else asks before it overwrites (MSG-S-043, MSG-R-219, MSG-R-281)', async ({
  page,
  request,
}) => {
  const id = await readyDraft(request, { patient: null });
  await openDraft(page, id);
  await attach(page, ccda({ code: 'R' }));
  await expect(field(page, 'Last name')).toHaveValue('Castellanos', { timeout: WORK_MS });
  await expect(field(page, 'Patient ID')).toHaveValue('LFM-77');
  const box = dialog(page, 'Overwrite patient details?');
  await attach(page, { ...ccda({ first: 'Nora' }), name: 'Another.xml' });
  await expect(box.getByRole('row', { name: /First name/ })).toContainText('TeoNora', { timeout: WORK_MS });
  await expect(field(page, 'First name')).toHaveValue('Teo');
  await box.getByRole('button', { name: 'Overwrite' }).click();
  await expect(field(page, 'First name')).toHaveValue('Nora');
  const confidentialities = async () => (await saved(request, id)).attachments.map((a) => a.attachmentMeta.confidentiality).sort();
  await expect.poll(confidentialities).toEqual(['Normal', 'Restricted']);
});

test('two windows that change one draft do not save over each other unseen', { tag: '@critical' }, async ({ page, request }) => {
  const subject = (window: Page) => field(window, 'Subject');
  // A window that is left in the middle of a save keeps what was typed, and asks.
  const save = async (window: Page) => {
    await window.getByRole('button', { name: 'Save', exact: true }).click();
    await settled(window);
  };
  const isSaved = (words: string) => expect.poll(async () => (await saved(request, id)).subject).toBe(words);
  const changed = (window: Page) => window.getByText('This draft has changed.');
  // Begun in one window, whose address does not name the draft yet.
  await openNew(page);
  const created = page.waitForResponse((r) => r.request().method() === 'PUT' && r.url().endsWith('/api/messages'));
  await attach(page, TEXT);
  const { id } = (await (await created).json()) as { id: string };
  afterwards(() => apiOf(request, 'dana').forget(id));
  await expect(page.getByRole('button', { name: 'Edit Visit note.txt' })).toBeVisible({ timeout: WORK_MS });
  const other = await page.context().newPage();
  await openDraft(other, id);
  await subject(other).fill('Written elsewhere');
  await save(other);
  await isSaved('Written elsewhere');

  await subject(page).fill('Written here');
  await save(page);
  await expect(changed(page)).toBeVisible();
  await page.getByRole('button', { name: 'Load their version' }).click();
  await expect(page).toHaveURL(new RegExp(`/release/draft/${id}`));
  await expect(subject(page)).toHaveValue('Written elsewhere');
  await subject(page).fill('Third words');
  await save(page);
  await isSaved('Third words');

  await subject(other).fill('Fourth words');
  await save(other);
  await expect(changed(other)).toBeVisible();
  await other.getByRole('button', { name: 'Keep mine' }).click();
  await expect(changed(other)).toBeHidden();
  await save(other);
  await isSaved('Fourth words');
  await page.reload();
  await expect(subject(page)).toHaveValue('Fourth words');
});

test('a release that was sent from elsewhere meanwhile is not sent again: its review leads to what was sent', async ({ page, request }) => {
  const id = await readyDraft(request);
  await openDraft(page, id);
  await page.getByRole('button', { name: 'Review and send' }).click();
  await expect(dialog(page, 'Review and send')).toBeVisible();
  await apiOf(request, 'dana').post(`/api/messages/${id}/send`);
  await dialog(page, 'Review and send').getByRole('button', { name: 'Confirm' }).click();
  await expect(page).toHaveURL(new RegExp(`/release/${id}$`));
  await expect(page.getByText('sent by')).toBeVisible();
});
