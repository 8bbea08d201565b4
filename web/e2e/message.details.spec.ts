import type { Page } from '@playwright/test';
import { apiOf, extracted, field, pdf, pick, receive, unique } from './helpers';
import { authenticate, expect, openFound, signIn, test, told } from './support';

/** Work on a message: together, in turns, and with details read from it. */

const rows = (page: Page) => page.locator('[aria-label="Intake messages"] tbody tr[data-opens]');
const isReady = (page: Page) => expect(page.getByRole('button', { name: 'Back to Intake' })).toBeVisible();

test('people who open the same message learn of each other until one leaves (SES-S-068, SES-R-225, SES-R-226, SES-T-080, SES-T-081, MSG-S-068, MSG-R-255, MSG-R-435, MSG-R-436, MSG-T-113, MSG-T-114)', async ({
  page,
  request,
  browser,
  baseURL,
}) => {
  const id = await receive(request, { subject: unique('Seen by two') });
  await signIn(page, 'priya', `/intake/${id}`);
  await isReady(page);
  const context = await browser.newContext({ baseURL });
  const other = await context.newPage();
  await authenticate(other, 'dana');
  await other.goto(`/intake/${id}`);
  await told(page, 'Dana Whitfield has opened this message.');
  await expect(page.getByText('Dana Whitfield currently has this message open.')).toBeVisible();
  await expect(other.getByText('Priya Nandakumar currently has this message open.')).toBeVisible();
  // The tab ends without a word.
  await context.close();
  await expect(page.getByText('Dana Whitfield currently has this message open.')).toBeHidden();
});

test('what is typed about patient and document is kept when the message is left in the middle of it (MSG-R-007)', {
  tag: '@critical',
}, async ({ page, request }) => {
  const id = await receive(request, { subject: unique('Left at once'), files: [pdf()] });
  await signIn(page, 'dana', `/intake/${id}`);
  await field(page, 'Patient ID').fill('LFM-20417');
  await field(page, 'Description').fill('Second opinion');
  // The first key leaves the field, the second the message.
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await expect(page).toHaveURL(/\/intake(\?|$)/);
  type Kept = { patient: { patientId?: string }; attachments: { attachmentMeta?: { documentDescription?: string } }[] };
  const kept = async () => {
    const { patient, attachments } = await apiOf(request, 'dana').get<Kept>(`/api/messages/${id}`);
    return [patient.patientId, attachments[0]!.attachmentMeta?.documentDescription];
  };
  await expect.poll(kept).toEqual(['LFM-20417', 'Second opinion']);
  await page.goto(`/intake/${id}`);
  await expect(field(page, 'Patient ID')).toHaveValue('LFM-20417');
  await expect(field(page, 'Description')).toHaveValue('Second opinion');
});

test('messages are turned in the order of their list, which knows the place and stays as it was', async ({ page, request }) => {
  const word = unique('turned').replace(' ', '');
  const first = await receive(request, { subject: `First ${word}` });
  const second = await receive(request, { subject: `Second ${word}` });
  await signIn(page, 'dana', '/intake?from=2000-01-01');
  await page.getByLabel('Filter messages').fill(word);
  await expect(rows(page)).toHaveText([/Second turned/, /First turned/]);
  await rows(page).first().locator('td').nth(5).click();
  await expect(page).toHaveURL(new RegExp(`/intake/${second}$`));
  await expect(page.getByText('1 of 2', { exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'Next message' }).click();
  await expect(page).toHaveURL(new RegExp(`/intake/${first}$`));
  await expect(page.getByText('2 of 2', { exact: true })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Next message' })).toBeDisabled();
  await page.keyboard.press('k');
  await expect(page.getByText('1 of 2', { exact: true })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByLabel('Filter messages')).toHaveValue(word);
  await expect(rows(page)).toHaveCount(2);
});

test('a message that is filed is done for everybody, and can be reopened', async ({ page, request }) => {
  const subject = unique('To file');
  const id = await receive(request, { subject, files: [pdf()] });
  const dana = apiOf(request, 'dana');
  await dana.setPatient(id, { firstName: 'Bridget', lastName: 'Halloran' });
  const isProcessed = async () => (await dana.get<{ isProcessed: boolean }>(`/api/messages/${id}`)).isProcessed;
  await signIn(page, 'priya', '/intake?from=2000-01-01');
  await openFound(page, subject);
  await pick(page, 'Document type', 'Progress note');
  await page.keyboard.press('Control+Enter');
  // No other message of the list is open.
  await expect(page).toHaveURL(/\/intake\?/);
  await expect.poll(isProcessed).toBe(true);
  await page.goto(`/intake/${id}`);
  await page.getByRole('button', { name: 'Reopen' }).click();
  await expect(page.getByRole('button', { name: 'File and next' })).toBeVisible();
  await expect.poll(isProcessed).toBe(false);
});

test('what a PDF says about its patient fills empty fields only, unverified until confirmed (MSG-R-198, MSG-R-203, MSG-R-204, MSG-R-205)', async ({
  page,
  request,
}) => {
  const report = pdf('Report.pdf', ['Patient: Tenney, Marisol', 'DOB: 03/14/1961', 'Sex: Female']);
  const id = await receive(request, { subject: unique('Read for us'), files: [report] });
  const dana = apiOf(request, 'dana');
  await dana.setPatient(id, { firstName: 'Maria' });
  await extracted(request, id);
  await signIn(page, 'dana', `/intake/${id}`);
  await expect(page.getByText('Read from page 1, not verified')).toBeVisible();
  await expect(field(page, 'First name')).toHaveValue('Maria');
  await expect(field(page, 'Last name')).toHaveValue('Tenney');
  await expect(field(page, 'Birth date')).toHaveValue('03/14/1961');
  await expect(page.locator('.cp-unv')).toHaveCount(3);
  // The focused field shows the place of its value.
  await field(page, 'Birth date').focus();
  await expect(page.getByRole('button', { name: 'Read here: Birth date' })).toHaveAttribute('data-on', 'true');
  const known = async () => (await dana.get<{ patient: object }>(`/api/messages/${id}`)).patient;
  expect(await known()).not.toHaveProperty('lastName', 'Tenney');
  await page.getByRole('button', { name: 'Confirm last name, read from the document' }).click();
  await expect(page.locator('.cp-unv')).toHaveCount(2);
  await page.getByRole('button', { name: 'Confirm all 2' }).click();
  await expect(page.locator('.cp-unv')).toHaveCount(0);
  await expect.poll(known).toMatchObject({ firstName: 'Maria', lastName: 'Tenney', birthDate: '1961-03-14', gender: 'F' });
});
