import type { Page } from '@playwright/test';
import { apiOf, dialog, field, pdf, receive, SUMMIT, unique } from './helpers';
import { afterwards, authenticate, expect, test, WORK_MS } from './support';

// Work without a pointer: what a person who knows the keys needs for the most frequent tasks.

test.beforeEach(async ({ page }) => authenticate(page, 'dana'));

const palette = (page: Page) => page.getByRole('combobox', { name: /^Find actions/ });
/** Types into the palette and takes what it finds. */
const find = async (page: Page, words: string, option: RegExp) => {
  await page.keyboard.press('Control+k');
  await expect(palette(page)).toBeFocused();
  await page.keyboard.type(words);
  await expect(page.getByRole('option', { name: option })).toHaveAttribute('data-combobox-selected', 'true');
  await page.keyboard.press('Enter');
};

test('the palette opens screens, messages and what the screen in view can do', async ({ page, request }) => {
  const subject = unique('Palette');
  const id = await receive(request, { subject });
  await page.goto('/release');
  await expect(page.getByRole('table', { name: 'Releases' })).toBeVisible();
  await page.keyboard.press('/');
  await expect(page.getByLabel('Search messages, patients, senders')).toBeFocused();
  await find(page, 'undeliv', /^Undelivered/);
  await expect(page).toHaveURL(/\/release\/failed$/);
  await find(page, subject, new RegExp(subject));
  await expect(page).toHaveURL(new RegExp(`/intake/${id}$`));
  await expect(page.getByRole('button', { name: 'Reply', exact: true })).toBeVisible();
  await find(page, 'back to', /^Back to Intake/);
  await expect(page).toHaveURL(/\/intake$/);
});

test('a PDF to a known address takes c, three letters, Enter, the file, and Ctrl+Enter twice', async ({ page, request }) => {
  const subject = unique('Known address');
  await page.goto('/release');
  await page.getByLabel('Search releases').focus();
  await page.keyboard.press('Escape');
  await page.keyboard.press('c');
  await expect(page.locator('#release-to')).toBeFocused();
  await page.keyboard.type('intake@summit-ortho');
  await expect(page.getByRole('option').first()).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(page.locator('.rel-address .cp-tag')).toHaveText([SUMMIT]);
  await page.getByRole('combobox', { name: 'Release type' }).click();
  await page.getByRole('option', { name: 'Referral', exact: true }).click();
  const lines = ['Patient name: Bridget Halloran', 'Date of birth: 07/02/1979', 'Sex: Female'];
  const { name, mimeType, buffer } = pdf('Visit.pdf', lines);
  await page.locator('.rel-files input[type=file]').setInputFiles({ name, mimeType, buffer });
  // The patient is read from the file by a worker.
  await expect(field(page, 'Last name')).toHaveValue('Halloran', { timeout: WORK_MS });
  await field(page, 'Subject').fill(subject);
  await page.keyboard.press('Control+Enter');
  await expect(dialog(page, 'Review and send')).toBeVisible();
  const sent = page.waitForResponse((r) => r.request().method() === 'POST' && r.url().endsWith('/send'));
  await page.keyboard.press('Control+Enter');
  const { id } = (await (await sent).json()) as { id: string };
  afterwards(() => apiOf(request, 'dana').forget(id));
  await expect(page.getByRole('heading', { level: 1, name: 'Release', exact: true })).toBeVisible();
  // The release type that was used last is known from then on.
  await page.keyboard.press('c');
  await expect(page.getByRole('combobox', { name: 'Release type' })).toHaveValue('Referral');
});
