import type { APIRequestContext, Page } from '@playwright/test';
import { apiOf, dialog, field, receive, unique } from './helpers';
import { afterwards, authenticate, expect, test } from './support';

/** Input of staff is kept despite other editors and failures. */

const open = async (page: Page, id: string) => {
  await page.goto(`/intake/${id}`);
  await expect(page.getByRole('button', { name: 'Back to Intake' })).toBeVisible();
};
/** The patient on the server. */
const saved = (request: APIRequestContext, id: string) =>
  expect.poll(
    async () => (await apiOf(request, 'dana').get<{ patient: { lastName?: string } | null }>(`/api/messages/${id}`)).patient?.lastName,
    {
      timeout: 30_000,
    },
  );

test('two people on one message lose nothing, and choose where both changed the same field', { tag: '@critical' }, async ({
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
  // The other's changes are not known yet while both type.
  await other.route(`**/api/messages/${id}`, (route) => route.abort());
  await field(page, 'Last name').fill('Vega-Ruiz');
  await saved(request, id).toBe('Vega-Ruiz');
  await field(other, 'Last name').fill('Vega Ruiz');
  await other.unroute(`**/api/messages/${id}`);
  await expect(other.getByText('Yours: Vega Ruiz. Theirs: Vega-Ruiz.')).toBeVisible();
  await expect(field(page, 'Last name')).toHaveValue('Vega-Ruiz');
  await other.getByRole('button', { name: 'Keep mine: Last name' }).click();
  await expect(field(page, 'Last name')).toHaveValue('Vega Ruiz');
  await context.close();
});

test('what is typed into a message is there after a reload: a detail at once, a note until it is added', { tag: '@critical' }, async ({
  page,
  request,
}) => {
  const id = await receive(request, { subject: unique('Typed') });
  await authenticate(page, 'dana');
  await open(page, id);
  await field(page, 'Last name').pressSequentially('Castellanos');
  await saved(request, id).toBe('Castellanos');
  await expect(field(page, 'Last name')).toBeFocused();
  const written = page.getByLabel('Write a note');
  await written.fill('Ask the family about');
  await expect.poll(() => page.evaluate(() => Object.keys(sessionStorage).some((key) => key.includes('note.')))).toBe(true);
  page.once('dialog', (leaving) => void leaving.accept());
  await page.reload();
  await expect(field(page, 'Last name')).toHaveValue('Castellanos');
  await expect(written).toHaveValue('Ask the family about');
  await written.press('End');
  await page.keyboard.type(' it, @pri');
  await page.getByRole('option', { name: 'Priya Nandakumar' }).click();
  await page.keyboard.press('Control+Enter');
  const notes = page.getByRole('region', { name: 'Notes' });
  await expect(notes.getByRole('listitem')).toContainText('Ask the family about it, @Priya Nandakumar');
  await expect(written).toHaveValue('');
});

test('a new release is a draft from the first character', { tag: '@critical' }, async ({ page, request }) => {
  await authenticate(page, 'dana');
  const subject = unique('First words');
  const kept = page.waitForResponse((r) => r.request().method() === 'PUT' && r.url().endsWith('/api/messages'));
  await page.goto('/release/new');
  await expect(page.getByRole('combobox', { name: 'From' })).not.toHaveValue('');
  await field(page, 'Subject').fill(subject);
  const { id } = (await (await kept).json()) as { id: string };
  afterwards(() => apiOf(request, 'dana').forget(id));
  await expect(page.getByText(/^Draft saved at /)).toBeVisible();
  await page.reload();
  await expect(field(page, 'Subject')).toHaveValue(subject);
});

test('while the server is away what is typed stays, leaving asks, and it is saved once it can be', { tag: '@critical' }, async ({
  page,
  context,
  request,
}) => {
  const id = await receive(request, { subject: unique('Away') });
  await authenticate(page, 'dana');
  await open(page, id);
  afterwards(() => context.setOffline(false));
  await context.setOffline(true);
  await field(page, 'Last name').fill('Tenney');
  await expect(page.getByText(/^No connection\. Your changes are kept here\./)).toBeVisible();
  await page.getByRole('button', { name: 'Back to Intake' }).click();
  await dialog(page, 'Leave without saving?').getByRole('button', { name: 'Keep editing' }).click();
  await context.setOffline(false);
  await saved(request, id).toBe('Tenney');
  await page.reload();
  await expect(field(page, 'Last name')).toHaveValue('Tenney');
});
