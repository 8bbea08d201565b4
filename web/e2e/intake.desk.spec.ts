import type { APIRequestContext, Page } from '@playwright/test';
import { apiOf, dialog, PATIENT, pdf, receive, unique } from './helpers';
import { authenticate, expect, test, told } from './support';

/** A day at the Intake, by the keyboard alone. */

const ROWS = '[aria-label="Intake messages"] tbody tr[data-opens]';
const row = (page: Page, subject: string) => page.locator(ROWS).filter({ hasText: subject });
const heading = (page: Page, subject: string) => page.getByRole('heading', { level: 1, name: subject });
const press = async (page: Page, ...keys: string[]) => {
  for (const key of keys) await page.keyboard.press(key);
};

/** Faxed reports whose patient and type are known, the oldest first. */
async function known(request: APIRequestContext, words: string, n: number) {
  const dana = apiOf(request, 'dana');
  const ids: string[] = [];
  for (let i = 1; i <= n; i++) {
    const id = await receive(request, { subject: `${words} ${i}`, files: [pdf(`Report ${i}.pdf`, [`Report ${i} of ${words}`])] });
    await dana.setPatient(id, PATIENT);
    ids.push(id);
  }
  await dana.post('/api/messages/bulk', { act: 'type', ids, documentType: 'Progress note' });
  return ids;
}

/** Goes down the list in view as far as a message; others may have come after it. */
async function choose(page: Page, subject: string) {
  await expect(row(page, subject)).toBeVisible();
  await expect
    .poll(async () => {
      await press(page, 'j');
      return page.locator(`${ROWS}[data-cursor]`).textContent();
    })
    .toContain(subject);
}

const isProcessed = async (request: APIRequestContext, id: string) =>
  (await apiOf(request, 'dana').get<{ isProcessed: boolean }>(`/api/messages/${id}`)).isProcessed;

test('one key files a document and opens the next one; what is done has left the list and is found by its words', async ({
  page,
  request,
}) => {
  const words = unique('Filed');
  const [, second] = await known(request, words, 2);
  await authenticate(page, 'dana');
  await page.goto('/intake');
  await choose(page, `${words} 2`);
  await press(page, 'Enter');
  await expect(heading(page, `${words} 2`)).toBeVisible();
  await press(page, 'e');
  await expect.poll(() => isProcessed(request, second!)).toBe(true);
  await expect(heading(page, `${words} 1`)).toBeVisible();
  await press(page, 'Escape');
  await expect(row(page, `${words} 1`)).toBeVisible();
  await expect(row(page, `${words} 2`)).toHaveCount(0);
  await page.getByLabel('Filter messages').fill(words);
  await expect(row(page, `${words} 2`)).toContainText('Processed');
});

test('a fax of an unknown patient is filed by four keys beside its data', async ({ page, request }) => {
  const words = unique('Unknown');
  const id = await receive(request, { subject: words, files: [pdf('Scan.pdf', [words])] });
  await apiOf(request, 'dana').setPatient(id, {});
  await authenticate(page, 'dana');
  await page.goto(`/intake/${id}`);
  await expect(heading(page, words)).toBeVisible();
  await press(page, 'p');
  await page.keyboard.type('Rivera, Marisol 4/12/1970');
  await expect(page.getByRole('option', { name: /^Add Rivera, Marisol/, disabled: false })).toBeVisible();
  await press(page, 'Enter', 'Control+Enter');
  await expect(dialog(page, 'Document type')).toBeVisible();
  await page.keyboard.type('progress restr');
  await press(page, 'Enter');
  await expect.poll(() => isProcessed(request, id)).toBe(true);
  const filed = await apiOf(request, 'dana').get<{ patient: object; attachments: { attachmentMeta: object }[] }>(`/api/messages/${id}`);
  expect(filed.patient).toMatchObject({ firstName: 'Marisol', lastName: 'Rivera', birthDate: '1970-04-12' });
  expect(filed.attachments[0]!.attachmentMeta).toMatchObject({ documentType: 'Progress note', confidentiality: 'Restricted' });
});

test('in the list a message is assigned, typed, put off and deleted by single keys', async ({ page, request }) => {
  const words = unique('By keys');
  const id = await receive(request, { subject: words, files: [pdf()] });
  await authenticate(page, 'dana');
  await page.goto('/intake');
  await page.getByLabel('Filter messages').focus();
  await press(page, 'Escape');
  await choose(page, words);
  await press(page, 'u');
  await expect(row(page, words).getByTitle('Urgent')).toBeVisible();
  await press(page, 'a');
  await expect(dialog(page, 'Assign 1 message')).toBeVisible();
  await page.keyboard.type('priya');
  await press(page, 'Enter');
  await expect(row(page, words)).toContainText('Priya N.');
  await press(page, 't');
  await expect(dialog(page, 'Document type')).toBeVisible();
  await page.keyboard.type('consult');
  await press(page, 'Enter');
  await expect(row(page, words)).toContainText('Consult');
  await press(page, 's');
  await expect(dialog(page, 'Snooze 1 message')).toBeVisible();
  await page.keyboard.type('3d');
  await press(page, 'Enter');
  await expect(row(page, words)).toHaveCount(0);
  await page
    .getByRole('radiogroup', { name: 'Quick views' })
    .getByText(/^Snoozed/)
    .click();
  await expect(row(page, words).getByTitle(/^Snoozed until/)).toBeVisible();
  await choose(page, words);
  await press(page, '#');
  await dialog(page, 'Delete 1 message?').getByRole('button', { name: 'Delete' }).click();
  await expect(row(page, words)).toHaveCount(0);
  await page.goto(`/intake/${id}`);
  await expect(page.getByRole('heading', { name: 'This message is no longer here' })).toBeVisible();
});

test('a message that a colleague has open is filed only after it is taken over', async ({ page, request, browser, baseURL }) => {
  const words = unique('Held');
  const [id] = await known(request, words, 1);
  const context = await browser.newContext({ baseURL });
  const other = await context.newPage();
  await authenticate(other, 'priya');
  await other.goto(`/intake/${id}`);
  await expect(heading(other, words)).toBeVisible();
  const holder = async () => (await apiOf(request, 'dana').get<{ heldBy?: { name: string } }>(`/api/messages/${id}`)).heldBy?.name;
  await expect.poll(holder).toBe('Priya Nandakumar');
  await authenticate(page, 'dana');
  await page.goto(`/intake/${id}`);
  await expect(page.getByText('Priya Nandakumar currently has this message open.')).toBeVisible();
  await press(page, 'e');
  await told(page, 'Priya Nandakumar currently has this message open.');
  expect(await isProcessed(request, id!)).toBe(false);
  await page.getByRole('button', { name: 'Take over from Priya Nandakumar' }).click();
  await expect(other.getByRole('button', { name: 'Take over from Dana Whitfield' })).toBeVisible();
  await expect(page.getByRole('button', { name: /^Take over/ })).toHaveCount(0);
  await press(page, 'e');
  await expect.poll(() => isProcessed(request, id!)).toBe(true);
  await context.close();
});
