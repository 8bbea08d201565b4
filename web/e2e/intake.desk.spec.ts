import type { APIRequestContext, Page } from '@playwright/test';
import { apiOf, dialog, PATIENT, pdf, receive, refuse, toast, unique } from './helpers';
import { authenticate, expect, test } from './support';

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

/** The list with the latest message chosen. */
async function chooseFirst(page: Page, subject: string) {
  await page.goto('/intake');
  await expect(row(page, subject)).toBeVisible();
  await press(page, 'j');
  await expect(page.locator(`${ROWS}[data-cursor]`)).toContainText(subject);
}

const isProcessed = async (request: APIRequestContext, id: string) =>
  (await apiOf(request, 'dana').get<{ isProcessed: boolean }>(`/api/messages/${id}`)).isProcessed;

test('one key files a document and opens the next one; z takes it back', async ({ page, request }) => {
  const words = unique('Filed');
  const [first, second] = await known(request, words, 2);
  await authenticate(page, 'dana');
  await chooseFirst(page, `${words} 2`);
  await press(page, 'Enter');
  await expect(heading(page, `${words} 2`)).toBeVisible();
  await press(page, 'e');
  await expect(heading(page, `${words} 1`)).toBeVisible();
  await expect(toast(page, 'The message has been successfully processed.')).toBeVisible();
  await expect.poll(() => isProcessed(request, second!)).toBe(true);
  await press(page, 'z');
  await expect(heading(page, `${words} 2`)).toBeVisible();
  await expect.poll(() => isProcessed(request, second!)).toBe(false);
  await press(page, 'e');
  await expect(heading(page, `${words} 1`)).toBeVisible();
  await press(page, 'e');
  await expect.poll(() => isProcessed(request, first!)).toBe(true);
  // What is done has left the list, and is found by its words.
  await page.goto('/intake');
  await expect(page.locator(ROWS).first()).toBeVisible();
  await expect(row(page, words)).toHaveCount(0);
  await page.getByLabel('Filter messages').fill(words);
  await expect(row(page, words)).toHaveCount(2);
});

test('a deleted message comes back by z, from its own page and from the list', async ({ page, request }) => {
  const words = unique('Deleted');
  const [, second] = await known(request, words, 2);
  await authenticate(page, 'dana');
  await chooseFirst(page, `${words} 2`);
  await press(page, 'Enter');
  await expect(heading(page, `${words} 2`)).toBeVisible();
  await press(page, '#');
  await dialog(page, 'Delete Message').getByRole('button', { name: 'OK' }).click();
  await expect(heading(page, `${words} 1`)).toBeVisible();
  await press(page, 'z');
  await expect(heading(page, `${words} 2`)).toBeVisible();
  await chooseFirst(page, `${words} 2`);
  await press(page, '#');
  await dialog(page, 'Delete 1 message?').getByRole('button', { name: 'Delete' }).click();
  await expect(toast(page, '1 message deleted.')).toBeVisible();
  await expect(row(page, `${words} 2`)).toHaveCount(0);
  await press(page, 'z');
  await expect(row(page, `${words} 2`)).toBeVisible();
  expect(await isProcessed(request, second!)).toBe(false);
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

test('what the server refuses to file comes back', async ({ page, request }) => {
  const words = unique('Refused');
  const [, second] = await known(request, words, 2);
  await authenticate(page, 'dana');
  await refuse(page, 'PUT', new RegExp(`/api/messages/${second}/process$`), 409, { message: 'The message cannot be filed just now.' });
  await chooseFirst(page, `${words} 2`);
  await press(page, 'Enter');
  await expect(heading(page, `${words} 2`)).toBeVisible();
  await press(page, 'e');
  await expect(toast(page, 'The message cannot be filed just now.')).toBeVisible();
  await expect(heading(page, `${words} 2`)).toBeVisible();
  await expect(page.getByRole('button', { name: 'File and next' })).toBeVisible();
});

test('the single keys work in the list, and Escape leaves a field for them', async ({ page, request }) => {
  const words = unique('By keys');
  const [id] = await known(request, words, 1);
  await authenticate(page, 'dana');
  await chooseFirst(page, words);
  await press(page, 'u');
  await expect(toast(page, '1 message marked as urgent.')).toBeVisible();
  await expect(row(page, words).getByTitle('Urgent')).toBeVisible();
  await press(page, 'z');
  await expect(row(page, words).getByTitle('Urgent')).toHaveCount(0);
  await press(page, 'a');
  await expect(dialog(page, 'Assign 1 message')).toBeVisible();
  await page.keyboard.type('priya');
  await press(page, 'Enter');
  await expect(row(page, words)).toContainText('Priya N.');
  await press(page, 't');
  await page.keyboard.type('consult');
  await press(page, 'Enter');
  await expect(row(page, words)).toContainText('Consult');
  await page.getByLabel('Filter messages').focus();
  await press(page, 'Escape', 'e');
  await expect(toast(page, '1 message processed.')).toBeVisible();
  await expect(row(page, words)).toHaveCount(0);
  expect(await isProcessed(request, id!)).toBe(true);
  await press(page, '?');
  await expect(dialog(page, 'Keyboard shortcuts')).toContainText('Snooze');
});

test('a subject is a link of its own, and opens in another tab', async ({ page, request }) => {
  const subject = unique('Linked');
  const id = await receive(request, { subject });
  await authenticate(page, 'dana');
  await page.goto('/intake');
  await expect(row(page, subject).getByRole('link', { name: subject })).toHaveAttribute('href', `/intake/${id}`);
  const opened = page.context().waitForEvent('page');
  await row(page, subject).getByRole('link').click({ button: 'middle' });
  await expect(heading(await opened, subject)).toBeVisible();
});

test('a snoozed message waits in its own view, and can be brought back', async ({ page, request }) => {
  const words = unique('Later');
  await known(request, words, 1);
  await authenticate(page, 'dana');
  await chooseFirst(page, words);
  await press(page, 's');
  await expect(dialog(page, 'Snooze 1 message')).toBeVisible();
  await page.keyboard.type('3d');
  await press(page, 'Enter');
  await expect(toast(page, '1 message snoozed.')).toBeVisible();
  await expect(row(page, words)).toHaveCount(0);
  const views = page.getByRole('radiogroup', { name: 'Quick views' });
  await views.getByText(/^Snoozed \d/).click();
  await expect(row(page, words).getByTitle(/^Snoozed until/)).toBeVisible();
  await press(page, 'z');
  await expect(row(page, words)).toHaveCount(0);
  await views.getByText(/^All/).click();
  await expect(row(page, words)).toBeVisible();
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
  await expect(toast(page, 'Priya Nandakumar currently has this message open.')).toBeVisible();
  expect(await isProcessed(request, id!)).toBe(false);
  await page.getByRole('button', { name: 'Take over from Priya Nandakumar' }).click();
  await expect(toast(page, 'You have taken this message over.')).toBeVisible();
  await expect(other.getByRole('button', { name: 'Take over from Dana Whitfield' })).toBeVisible();
  await press(page, 'e');
  await expect.poll(() => isProcessed(request, id!)).toBe(true);
  await context.close();
});

test('a note names a colleague and stays in the organization', async ({ page, request }) => {
  const subject = unique('Noted');
  const id = await receive(request, { subject });
  await authenticate(page, 'dana');
  await page.goto(`/intake/${id}`);
  await expect(heading(page, subject)).toBeVisible();
  await press(page, 'n');
  await page.keyboard.type('Please call back, @pri');
  await page.getByRole('option', { name: 'Priya Nandakumar' }).click();
  await press(page, 'Control+Enter');
  const notes = page.getByRole('region', { name: 'Notes' });
  await expect(notes.getByRole('listitem')).toContainText('Please call back, @Priya Nandakumar');
  await notes.getByRole('button', { name: 'Delete this note' }).click();
  await expect(notes.getByRole('listitem')).toHaveCount(0);
});

test('a file that came before is noticed and compared side by side', async ({ page, request }) => {
  const words = unique('Twice');
  const file = pdf('Report.pdf', [words]);
  const first = await receive(request, { subject: `${words} first`, files: [file] });
  const again = await receive(request, { subject: `${words} again`, files: [file] });
  await authenticate(page, 'dana');
  await page.goto(`/intake/${again}`);
  const hint = page.getByRole('region', { name: 'Perhaps a duplicate' });
  await expect(hint.getByRole('link', { name: `${words} first` })).toHaveAttribute('href', `/intake/${first}`);
  await hint.getByRole('button', { name: 'Compare' }).click();
  const box = dialog(page, 'The same file');
  await expect(box.locator('.react-pdf__Page canvas').nth(1)).toBeVisible();
});

test('filters are kept under a name and applied again', async ({ page }) => {
  const name = unique('Faxes of nobody');
  await authenticate(page, 'dana');
  await page.goto('/intake?view=unassigned&source=Fax');
  await page.getByRole('button', { name: 'Saved filters' }).click();
  await page.getByRole('menuitem', { name: 'Save these filters' }).click();
  await dialog(page, 'Save filter').getByRole('textbox', { name: 'Name' }).fill(name);
  await press(page, 'Enter');
  await expect(toast(page, `The filter ${name} was saved.`)).toBeVisible();
  await page.goto('/intake');
  await page.getByRole('button', { name: 'Saved filters' }).click();
  await page.getByRole('menuitem', { name }).click();
  await expect(page).toHaveURL(/view=unassigned/);
  await expect(page).toHaveURL(/source=Fax/);
  await page.getByRole('button', { name: 'Saved filters' }).click();
  await page.getByRole('button', { name: `Delete filter ${name}` }).click();
  await dialog(page, 'Delete filter').getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('button', { name: 'Saved filters' }).click();
  await expect(page.getByRole('menuitem', { name })).toHaveCount(0);
});
