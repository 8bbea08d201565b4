import { apiOf, dialog, hearing, LARKFIELD, pdf, receive, refuse, SUMMIT, switchFeature, TEXT, toast, toggle, unique } from './helpers';
import { expect, isolated, signIn, test } from './support';

const LIST = '[aria-label="Intake messages"] tbody tr[data-opens]';
type ListRequest = Record<string, unknown> & { startDate: string };
const isList = (r: { url: () => string; method: () => string }) => /\/api\/(intake|messages)$/.test(r.url()) && r.method() === 'POST';
const day = (offset: number) => {
  const d = new Date();
  d.setDate(d.getDate() + offset);
  return `${d.getFullYear()}-${String(d.getMonth() + 1).padStart(2, '0')}-${String(d.getDate()).padStart(2, '0')}`;
};

test('a row shows sender, subject cut at 80 characters, patient, status and date; unread and recent until it is read (MSG-S-006, MSG-R-462, MSG-R-254)', async ({
  page,
  request,
}) => {
  const subject = unique('Results');
  const long = `${subject} ${'of the laboratory '.repeat(6)}`.trim();
  await receive(request, { subject: long, files: [TEXT] });
  await signIn(page, 'priya');
  const row = page.locator(LIST).filter({ hasText: subject });
  await expect(row).toContainText(`${long.slice(0, 80).trimEnd()} ...`);
  await expect(row).toContainText('Summit Orthopedics');
  await expect(row).toContainText('Received');
  await expect(row).toContainText(/Today at \d{1,2}:\d{2} [AP]M/);
  await expect(row).toHaveAttribute('data-unread', 'true');
  await expect(row.getByTitle('Received within the last hour')).toBeVisible();
  await row.locator('td').nth(3).click();
  await expect(page).toHaveURL(/\/intake\/[0-9a-f-]{36}$/);
  await page.getByRole('button', { name: 'Back to Intake' }).click();
  await expect(row).not.toHaveAttribute('data-unread', 'true');
  await expect(row.getByTitle('Received within the last hour')).toBeVisible();
});

test('the list asks for the last 30 days, with POST /api/intake or without the flag POST /api/messages (MSG-R-453, MSG-R-382)', async ({
  page,
  request,
}) => {
  const first = page.waitForRequest((r) => isList(r) && (r.postDataJSON() as ListRequest).rules !== undefined);
  const heard = hearing(page);
  await signIn(page, 'priya');
  expect((await first).url()).toMatch(/\/api\/intake$/);
  const body = (await first).postDataJSON() as ListRequest;
  expect(body.startDate).toBe(new Date(`${day(-30)}T00:00:00`).toISOString());
  expect(body).toMatchObject({ pageStart: 1, pageSize: 10, orderBy: 'createdDate', orderDir: 'desc', isAll: true });
  await heard;
  await switchFeature(request, 'OptimizedIntake', false);
  // Nothing is under way that was asked with the feature.
  await page.goto('/account/profile');
  const second = page.waitForRequest((r) => isList(r) && (r.postDataJSON() as ListRequest).rules !== undefined);
  await page.goto('/intake');
  expect((await second).url()).toMatch(/\/api\/messages$/);
});

test('filters become the request: dates, status, source, own address, kind of processing and quick views (MSG-S-058, MSG-S-059, MSG-R-471)', async ({
  page,
}) => {
  await signIn(page, 'priya');
  await expect(page.locator(LIST).first()).toBeVisible();
  // The list may be asked for with what was chosen before once more.
  const bodies: ListRequest[] = [];
  page.on('request', (r) => {
    if (isList(r)) bodies.push(r.postDataJSON() as ListRequest);
  });
  const asks = (wanted: Partial<ListRequest>) =>
    expect.poll(() => bodies.filter((b) => b.rules !== undefined).at(-1)).toMatchObject(wanted);
  const open = (name: string) => page.locator('.cp-filter-open', { hasText: new RegExp(`^${name}`) }).click();
  await open('Received');
  for (const name of ['Today', 'Yesterday', 'Last 7 Days', 'Last 30 Days', 'This Month', 'Last Month'])
    await expect(page.getByRole('button', { name, exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'Last 7 Days' }).click();
  await asks({
    startDate: new Date(`${day(-7)}T00:00:00`).toISOString(),
    endDate: new Date(`${day(0)}T23:59:59.999`).toISOString(),
  });
  const check = async (filter: string, choice: string, wanted: Partial<ListRequest>) => {
    await open(filter);
    await toggle(page.getByRole('checkbox', { name: choice }));
    await asks(wanted);
    await page.keyboard.press('Escape');
  };
  await check('Status', 'Processed', { statuses: ['Processed'] });
  await check('Source', 'Direct message', { sourceTypes: ['DirectMessage'] });
  await check('To', 'Medical records', { sources: ['records@larkfield.direct.carepost.example'] });
  await check('Processed as', 'PDF export', { processedTypes: ['PDFExport'] });
  await page.getByRole('button', { name: 'Clear filters' }).first().click();
  const view = (name: RegExp) => page.getByRole('radiogroup', { name: 'Quick views' }).getByText(name).click();
  await view(/Unassigned/);
  await asks({ isUnassigned: true, isAll: false });
  await view(/^Mine/);
  await asks({ isAssignedToSelf: true, isAll: false });
  await view(/^Snoozed/);
  await asks({ isSnoozed: true, isAll: false });
});

isolated.describe('in New York', () => {
  isolated.use({ timezoneId: 'America/New_York' });

  isolated('the days of a filter are those of the reader (MSG-S-058, MSG-R-471)', async ({ page }) => {
    await signIn(page, 'priya');
    await expect(page.locator(LIST).first()).toBeVisible();
    await page.locator('.cp-filter-open', { hasText: /^Received/ }).click();
    const request = page.waitForRequest((r) => isList(r) && 'endDate' in (r.postDataJSON() as ListRequest));
    const answered = page.waitForResponse((r) => isList(r.request()) && 'endDate' in (r.request().postDataJSON() as ListRequest));
    await page.getByRole('button', { name: 'Today', exact: true }).click();
    const today = await page.evaluate(() => ({
      startDate: new Date(new Date().setHours(0, 0, 0, 0)).toISOString(),
      endDate: new Date(new Date().setHours(23, 59, 59, 999)).toISOString(),
    }));
    expect((await request).postDataJSON()).toMatchObject(today);
    expect((await answered).ok()).toBe(true);
  });
});

test('the pages turn, ten messages at first or as many as a person wants (MSG-S-056, MSG-R-128, MSG-R-132, MSG-R-133)', async ({
  page,
}) => {
  await signIn(page, 'priya', '/intake?from=2000-01-01');
  const nav = page.getByRole('navigation', { name: 'Pages' });
  await expect(nav.getByLabel('Rows per page')).toHaveValue('10');
  await expect(nav.getByLabel('Rows per page').locator('option')).toHaveText(['10', '25', '50', '100']);
  await expect(nav.getByRole('button', { name: 'First page' })).toBeDisabled();
  await nav.getByRole('button', { name: 'Next page' }).click();
  await expect(page).toHaveURL(/page=2$/);
  await nav.getByRole('button', { name: 'Previous page' }).click();
  await expect(page).not.toHaveURL(/page=/);
  await nav.getByRole('button', { name: 'Last page' }).click();
  await expect(page).toHaveURL(/page=\d+$/);
  await expect(nav.getByRole('button', { name: 'Next page' })).toBeDisabled();
  await nav.getByRole('button', { name: 'First page' }).click();
  await expect(page).not.toHaveURL(/page=/);
});

test('all messages of the list are chosen beyond the page in view, and other filters let them go (MSG-S-006)', async ({
  page,
  request,
}) => {
  const words = unique('Stack');
  const subjects = Array.from({ length: 12 }, (_, n) => `${n} ${words}`);
  const sam = apiOf(request, 'sam');
  for (const subject of subjects) await sam.send({ subject, to: [LARKFIELD] });
  for (const subject of subjects) await apiOf(request, 'dana').received(subject);
  await signIn(page, 'priya');
  await page.getByLabel('Filter messages').fill(words.split(' ').at(-1)!);
  const nav = page.getByRole('navigation', { name: 'Pages' });
  await expect(nav).toContainText('1–10 of 12');
  const bar = page.getByRole('toolbar', { name: 'Selected rows' });
  await page.locator(`${LIST} input[type=checkbox]`).first().check();
  await expect(bar).toContainText('1 selected');
  await bar.getByRole('button', { name: 'Select all 12' }).click();
  await expect(bar).toContainText('12 selected');
  await expect(bar.getByRole('button', { name: /^Select all/ })).toHaveCount(0);
  await nav.getByRole('button', { name: 'Next page' }).click();
  await expect(nav).toContainText('11–12 of 12');
  await expect(page.locator(`${LIST} input[type=checkbox]:checked`)).toHaveCount(2);
  await bar.getByRole('button', { name: 'Mark as read' }).click();
  await expect(toast(page, '12 messages marked as read.')).toBeVisible();
  await expect(page.locator(`${LIST}[data-unread]`)).toHaveCount(0);
  await page.locator(`${LIST} input[type=checkbox]`).first().check();
  await expect(bar).toContainText('1 selected');
  await page
    .getByRole('radiogroup', { name: 'Quick views' })
    .getByText(/Unassigned/)
    .click();
  await expect(bar).toBeHidden();
});

test('a message that arrives is announced without a reload, and its row comes when asked for', async ({ page, request }) => {
  await signIn(page, 'priya');
  await expect(page.locator(LIST).first()).toBeVisible();
  const before = await page.locator(LIST).first().innerText();
  const subject = unique('Arrived meanwhile');
  await receive(request, { subject });
  await page.getByRole('button', { name: /^\d+ new$/ }).click();
  await expect(page.locator(LIST).filter({ hasText: subject })).toBeVisible();
  expect(await page.locator(LIST).first().innerText()).not.toBe(before);
});

test('a received message is deleted after a question that names it (MSG-R-124, MSG-R-125, MSG-R-418, MSG-T-035, MSG-T-036, MSG-T-037, MSG-T-038, MSG-T-094, MSG-S-039)', async ({
  page,
  request,
}) => {
  const subject = unique('To be deleted');
  const id = await receive(request, { subject });
  await signIn(page, 'priya', `/intake/${id}`);
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  const box = dialog(page, 'Delete Message');
  await expect(box).toContainText(subject);
  await expect(box.getByText('Are you sure?', { exact: true })).toBeVisible();
  await box.getByRole('button', { name: 'Cancel' }).click();
  await expect(box).toBeHidden();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await box.getByRole('button', { name: 'OK' }).click();
  await expect(toast(page, 'Message has been deleted')).toBeVisible();
  await page.goto(`/intake/${id}`);
  await expect(page.getByRole('heading', { name: 'This message is not here any more' })).toBeVisible();
});

test('a deletion that fails is told in the words of the server (MSG-R-414)', async ({ page, request }) => {
  const id = await apiOf(request, 'dana').send({ subject: unique('Stays'), to: [SUMMIT], files: [pdf()] });
  await refuse(page, 'DELETE', new RegExp(`/api/messages/${id}$`), 409, { message: 'The message is being sent.' });
  await signIn(page, 'dana', `/release/${id}`);
  await page.getByRole('button', { name: 'Delete' }).click();
  await dialog(page, 'Delete Message').getByRole('button', { name: 'OK' }).click();
  await expect(toast(page, 'The message is being sent.')).toBeVisible();
});

test('a list that cannot be loaded says why and is asked for again', async ({ page }) => {
  // A connection for events that stands asks for the list by itself.
  await refuse(page, 'POST', /\/api\/account\/hubticket$/, 503);
  await signIn(page, 'priya');
  await refuse(page, 'POST', /\/api\/intake$/, 400, { message: 'The list cannot be shown just now.' });
  await page.reload();
  await expect(page.getByRole('heading', { name: 'The messages could not be loaded' })).toBeVisible();
  await expect(page.getByText('The list cannot be shown just now.')).toBeVisible();
  await page.unroute(/\/api\/intake$/);
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.locator(LIST).first()).toBeVisible();
});
