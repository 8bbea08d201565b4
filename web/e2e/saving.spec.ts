import type { Page } from '@playwright/test';
import { apiOf, dialog, field, PATIENT, pdf, receive, unique } from './helpers';
import { authenticate, expect, test } from './support';

/** What staff type is kept, whoever else types and whatever fails meanwhile. */

const open = async (page: Page, id: string) => {
  await page.goto(`/intake/${id}`);
  await expect(page.getByRole('button', { name: 'Back to Intake' })).toBeVisible();
};
const note = (page: Page) => page.locator('.cp-savenote').first();
const process = (page: Page) => page.getByRole('button', { name: 'File and next', exact: true }).click();

test('two people on one message lose nothing, and choose where both changed the same field', async ({
  page,
  request,
  browser,
  baseURL,
}) => {
  const id = await receive(request, { subject: unique('Two at once') });
  await apiOf(request, 'dana').setPatient(id, { firstName: 'Ana', lastName: 'Ruiz' });
  const context = await browser.newContext({ baseURL });
  const other = await context.newPage();
  await authenticate(page, 'priya');
  await authenticate(other, 'dana');
  await Promise.all([open(page, id), open(other, id)]);
  await field(page, 'Last name').fill('Vega');
  await expect(field(other, 'Last name')).toHaveValue('Vega');
  await field(other, 'First name').fill('Anna');
  await expect(field(page, 'First name')).toHaveValue('Anna');
  // What the others are about to save is not known yet while both type.
  await other.route(`**/api/messages/${id}`, (route) => route.abort());
  await field(page, 'Last name').fill('Vega-Ruiz');
  await expect(note(page)).toHaveText('Saved');
  await field(other, 'Last name').fill('Vega Ruiz');
  await other.unroute(`**/api/messages/${id}`);
  await expect(other.getByText('Changed meanwhile')).toBeVisible();
  await expect(other.getByText('Yours: Vega Ruiz. Theirs: Vega-Ruiz.')).toBeVisible();
  await expect(field(page, 'Last name')).toHaveValue('Vega-Ruiz');
  await other.getByRole('button', { name: 'Keep mine: Last name' }).click();
  await expect(field(page, 'Last name')).toHaveValue('Vega Ruiz');
  await context.close();
});

test('after a save that failed filing says so, leaving asks, and it is saved by itself once it can be', async ({ page, request }) => {
  const id = await receive(request, { subject: unique('Not saved') });
  await authenticate(page, 'dana');
  await open(page, id);
  const patient = `**/api/messages/${id}/patient`;
  await page.route(patient, (route) => route.fulfill({ status: 503 }));
  await field(page, 'Last name').fill('Halloran');
  await expect(note(page)).toHaveText('Not saved yet, trying again');
  await process(page);
  await expect(page.getByText('What you typed could not be saved yet. Please try again.')).toBeVisible();
  await page.getByRole('button', { name: 'Back to Intake' }).click();
  await dialog(page, 'Leave without saving?').getByRole('button', { name: 'Keep editing' }).click();
  await page.unroute(patient);
  // It tries again less often from time to time.
  await expect(note(page)).toHaveText('Saved', { timeout: 30_000 });
  await page.reload();
  await expect(field(page, 'Last name')).toHaveValue('Halloran');
});

test('what is typed is there after a reload, without the field being left', async ({ page, request }) => {
  const id = await receive(request, { subject: unique('Typed') });
  await authenticate(page, 'dana');
  await open(page, id);
  await field(page, 'Last name').pressSequentially('Castellanos');
  await expect(note(page)).toHaveText('Saved');
  await expect(field(page, 'Last name')).toBeFocused();
  await page.reload();
  await expect(field(page, 'Last name')).toHaveValue('Castellanos');
});

test('a note that is being written is there after a reload', async ({ page, request }) => {
  const id = await receive(request, { subject: unique('Noted') });
  await authenticate(page, 'dana');
  await open(page, id);
  const written = page.getByLabel('Write a note');
  await written.fill('Ask the family about');
  await expect.poll(() => page.evaluate(() => Object.keys(sessionStorage).some((key) => key.includes('note.')))).toBe(true);
  page.on('dialog', (leaving) => void leaving.accept());
  await page.reload();
  await expect(written).toHaveValue('Ask the family about');
  await written.fill('');
});

test('a message without a patient is processed only after a question', async ({ page, request }) => {
  const id = await receive(request, { subject: unique('Nobody'), files: [pdf()] });
  await apiOf(request, 'dana').setPatient(id, {});
  await authenticate(page, 'dana');
  await open(page, id);
  await process(page);
  const question = dialog(page, 'Before this is processed');
  await expect(question.getByText('No document type is chosen for Report.pdf.')).toBeVisible();
  await question.getByRole('button', { name: 'Go back' }).click();
  const kept = await apiOf(request, 'dana').get<{ isProcessed: boolean }>(`/api/messages/${id}`);
  expect(kept.isProcessed).toBe(false);
});

test('the list files what can be found, and asks about the rest', async ({ page, request }) => {
  const words = unique('Filing');
  const found = await receive(request, { subject: `${words} found` });
  const lost = await receive(request, { subject: `${words} lost`, files: [pdf()] });
  await apiOf(request, 'dana').setPatient(found, PATIENT);
  await authenticate(page, 'dana');
  await page.goto('/intake');
  await page.getByLabel('Filter messages').fill(words);
  const rows = page.locator('[aria-label="Intake messages"] tbody tr[data-opens]');
  await expect(rows).toHaveCount(2);
  await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
  await page.getByRole('toolbar', { name: 'Selected rows' }).getByRole('button', { name: 'Mark processed' }).click();
  const question = dialog(page, 'Process without patient or type?');
  await expect(question.getByText(`${words} lost`)).toBeVisible();
  const isProcessed = async (id: string) => (await apiOf(request, 'dana').get<{ isProcessed: boolean }>(`/api/messages/${id}`)).isProcessed;
  expect([await isProcessed(found), await isProcessed(lost)]).toEqual([true, false]);
  await question.getByRole('button', { name: 'Process anyway' }).click();
  await expect(page.getByText('1 message processed.').last()).toBeVisible();
  await expect.poll(() => isProcessed(lost)).toBe(true);
});

test('a new release has an address to send from, and a draft from the first character', async ({ page }) => {
  await authenticate(page, 'dana');
  const subject = unique('First words');
  const saved = page.waitForResponse((r) => r.request().method() === 'PUT' && r.url().endsWith('/api/messages'));
  await page.goto('/release/new');
  await expect(page.getByRole('combobox', { name: 'From' })).not.toHaveValue('');
  await field(page, 'Subject').fill(subject);
  await saved;
  await expect(page.getByText(/^Draft saved at /)).toBeVisible();
  await page.reload();
  await expect(field(page, 'Subject')).toHaveValue(subject);
  await page.getByRole('button', { name: 'Discard' }).click();
  await dialog(page, 'Discard this release?').getByRole('button', { name: 'Discard' }).click();
  await expect(page).not.toHaveURL(/new/);
});

test('while the server is away the screen says so and keeps what is typed', async ({ page, context, request }) => {
  const id = await receive(request, { subject: unique('Away') });
  await authenticate(page, 'dana');
  await open(page, id);
  await context.setOffline(true);
  await field(page, 'Last name').fill('Tenney');
  await expect(page.getByText(/^No connection\. Your changes are kept here\./)).toBeVisible();
  await context.setOffline(false);
  await expect(page.getByText(/^No connection/)).toBeHidden({ timeout: 15_000 });
  await expect(note(page)).toHaveText('Saved');
});
