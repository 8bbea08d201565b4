import type { APIRequestContext, Page } from '@playwright/test';
import { apiOf, dialog, field, pick, SUMMIT, TEXT, unique } from './helpers';
import { afterwards, authenticate, expect, signIn, test, WORK_MS } from './support';

/** A release from its first word to its arrival. */

type Row = { id: string; subject: string };
const openNew = async (page: Page) => {
  await page.goto('/release/new');
  await expect(page.getByRole('heading', { name: 'New release' })).toBeVisible();
};
/** The draft with this subject on the server, which is forgotten after the test. */
async function draftOf(request: APIRequestContext, subject: string) {
  const dana = apiOf(request, 'dana');
  let id: string | undefined;
  const look = async () => {
    const { items } = await dana.get<{ items: Row[] }>(`/api/messages?isDraft=true&pageStart=1&pageSize=50`);
    id = items.find((m) => m.subject === subject)?.id;
    return id;
  };
  await expect.poll(look, { message: `a draft ${subject}` }).toBeTruthy();
  afterwards(() => dana.forget(id!));
  return id!;
}

test('a user sends a release with a file, and sees it arrive without a reload (MSG-R-008, SES-S-015, SES-S-017)', async ({
  page,
  request,
}) => {
  const subject = unique('Right knee');
  await authenticate(page, 'priya');
  await openNew(page);
  await pick(page, 'Release type', 'Referral');
  await page.locator('#release-to').fill(SUMMIT);
  await page.keyboard.press('Enter');
  await field(page, 'Subject').fill(subject);
  await field(page, 'Message').fill('Dear colleagues,\n\nplease see Ms. Halloran within two weeks.');
  await field(page, 'First name').fill('Bridget');
  await field(page, 'Last name').fill('Halloran');
  await field(page, 'Birth date').fill('7/2/79');
  await pick(page, 'Gender', 'Female');
  await page.locator('.rel-files input[type=file]').setInputFiles(TEXT);
  await expect(page.getByRole('button', { name: `Edit ${TEXT.name}` })).toBeVisible({ timeout: WORK_MS });
  await page.getByRole('button', { name: 'Review and send' }).click();
  const box = dialog(page, 'Review and send');
  await box.getByLabel('Reason for disclosure').fill('Continuing care');
  await box.getByRole('button', { name: 'Confirm' }).click();
  await expect(page).toHaveURL(/\/release$/);
  await page.getByRole('row', { name: new RegExp(subject) }).click();
  await expect(page.getByRole('heading', { name: subject })).toBeVisible();
  const id = page.url().split('/').pop()!;
  afterwards(() => apiOf(request, 'dana').forget(id));
  await expect(page.getByText('Continuing care')).toBeVisible();

  const sam = apiOf(request, 'sam');
  type Arrived = { body: string; attachments: { fileName: string }[] };
  const arrived = await sam.get<Arrived>(`/api/messages/${await sam.received(subject)}`);
  expect(arrived.body).toContain('within two weeks');
  expect(arrived.attachments).toHaveLength(1);
  // The reason for disclosure is kept here, never sent.
  expect(JSON.stringify(arrived)).not.toContain('Continuing care');
  await expect(page.locator('.rel-recipient').getByText('Delivered')).toBeVisible({ timeout: WORK_MS });
});

test('a release that is put aside on leaving waits among the drafts as it was typed (SES-S-016, MSG-R-235, MSG-R-238)', async ({
  page,
  request,
}) => {
  const subject = unique('Put aside');
  await authenticate(page, 'dana');
  await openNew(page);
  await field(page, 'Subject').fill(subject);
  await page.getByRole('button', { name: 'Middle name, address and visit' }).click();
  await field(page, 'Visit ID').fill('V-1182');
  await field(page, 'Visit date').fill('11/19/2026');
  await page.getByRole('link', { name: /^Intake( \d|$)/ }).click();
  await dialog(page, 'Save this draft?').getByRole('button', { name: 'Save' }).click();
  await expect(page).toHaveURL(/\/intake$/);
  const id = await draftOf(request, subject);
  await page.goto('/release?view=drafts');
  await page.getByRole('row', { name: new RegExp(subject) }).click();
  await expect(page).toHaveURL(new RegExp(`/release/draft/${id}$`));
  await expect(field(page, 'Subject')).toHaveValue(subject);
  await expect(field(page, 'Visit ID')).toHaveValue('V-1182');
  await expect(field(page, 'Visit date')).toHaveValue('11/19/2026');
});

test('what is typed into a new release is there after a reload, unreadable in the storage of the browser, and becomes a draft by itself', {
  tag: '@critical',
}, async ({ page, request }) => {
  const subject = unique('Typed');
  await signIn(page, 'dana', '/release/new');
  await field(page, 'Subject').fill(subject);
  await field(page, 'Message').fill('Please see Ms. Halloran.');
  const kept = () => page.evaluate(() => JSON.stringify(sessionStorage));
  await expect.poll(kept).toContain('sealed.release');
  expect(await kept()).not.toContain('Halloran');
  page.once('dialog', (leaving) => void leaving.accept());
  await page.reload();
  await expect(field(page, 'Message')).toHaveValue('Please see Ms. Halloran.');
  await draftOf(request, subject);
});
