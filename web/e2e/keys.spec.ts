import type { Page } from '@playwright/test';
import { apiOf, dialog, field, pdf, receive, SUMMIT, toast, unique } from './helpers';
import { afterwards, authenticate, expect, test } from './support';

// Work without a pointer: what a person who knows the keys needs for the most frequent tasks.

test.beforeEach(async ({ page }) => authenticate(page, 'dana'));

const palette = (page: Page) => page.getByRole('combobox', { name: /^Find actions/ });
const ask = async (page: Page, words: string) => {
  await page.keyboard.press('Control+k');
  await expect(palette(page)).toBeFocused();
  await page.keyboard.type(words);
};

test('the palette opens screens, messages and what the screen in view can do', async ({ page, request }) => {
  const subject = unique('Palette');
  const id = await receive(request, { subject });
  await page.goto('/release');
  await expect(page.getByRole('table', { name: 'Releases' })).toBeVisible();
  await ask(page, 'undeliv');
  await expect(page.getByRole('option', { name: /^Undelivered/ })).toHaveAttribute('data-combobox-selected', 'true');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/release\/failed$/);

  await ask(page, subject);
  await expect(page.getByRole('option', { name: new RegExp(subject) })).toHaveAttribute('data-combobox-selected', 'true');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(new RegExp(`/intake/${id}$`));
  await expect(page.getByRole('button', { name: 'Reply', exact: true })).toBeVisible();

  await ask(page, 'back to');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/intake$/);
  await ask(page, 'nothing of this name');
  await expect(dialog(page, 'Find anything').getByText(/^Nothing found/)).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(dialog(page, 'Find anything')).toBeHidden();
});

test('Escape leaves a field for the single keys, and c begins a release in To', async ({ page }) => {
  await page.goto('/release');
  await page.getByLabel('Search releases').focus();
  await page.keyboard.press('Escape');
  await page.keyboard.press('c');
  await expect(page).toHaveURL(/\/release\/new$/);
  await expect(page.getByRole('heading', { name: 'New release' })).toBeVisible();
  await expect(page.locator('#release-to')).toBeFocused();
});

test('a PDF to a known address takes three letters, Enter, the file, and Ctrl+Enter twice', async ({ page, request }) => {
  const subject = unique('Known address');
  // The release type that was used last, and the address, are known from then on.
  await page.goto('/release/new');
  await page.getByRole('combobox', { name: 'Release type' }).click();
  await page.getByRole('option', { name: 'Referral', exact: true }).click();
  const send = async () => {
    await page.locator('#release-to').focus();
    await page.keyboard.type('intake@summit-ortho');
    await expect(page.getByRole('option').first()).toBeVisible();
    await page.keyboard.press('Enter');
    await expect(page.locator('.rel-address .cp-tag')).toHaveText([SUMMIT]);
    const lines = ['Patient name: Bridget Halloran', 'Date of birth: 07/02/1979', 'Sex: Female'];
    const { name, mimeType, buffer } = pdf('Visit.pdf', lines);
    await page.locator('.rel-files input[type=file]').setInputFiles({ name, mimeType, buffer });
    await expect(page.getByRole('button', { name: 'Edit Visit.pdf' })).toBeVisible();
    await expect(field(page, 'Last name')).toHaveValue('Halloran');
    await field(page, 'Subject').fill(subject);
    await page.keyboard.press('Control+Enter');
    await expect(dialog(page, 'Review and send')).toBeVisible();
    const sent = page.waitForResponse((r) => r.request().method() === 'POST' && r.url().endsWith('/send'));
    await page.keyboard.press('Control+Enter');
    const { id } = (await (await sent).json()) as { id: string };
    afterwards(() => apiOf(request, 'dana').forget(id));
    await expect(toast(page, 'The message was sent successfully.').last()).toBeVisible();
    await expect(page.getByRole('heading', { level: 1, name: 'Release', exact: true })).toBeVisible();
  };
  await send();
  await page.keyboard.press('c');
  await expect(page.getByRole('combobox', { name: 'Release type' })).toHaveValue('Referral');
  await send();
});

test('a select takes the letter that an option begins with', async ({ page }) => {
  await page.goto('/release/new');
  await page.locator('#release-gender').focus();
  await page.keyboard.press('m');
  await expect(page.locator('#release-gender')).toHaveValue('Male');
  await expect(page.getByRole('listbox')).toBeHidden();
});

test('many drafts are discarded at once, also those of other pages', async ({ page, request }) => {
  const subject = unique('Cleared');
  const ids = await Promise.all(Array.from({ length: 11 }, () => apiOf(request, 'dana').draft({ subject, to: [SUMMIT] })));
  for (const id of ids) afterwards(() => apiOf(request, 'dana').forget(id));
  await page.goto('/release?view=drafts&size=10');
  await page.getByLabel('Search releases').fill(subject);
  const rows = page.getByRole('table', { name: 'Releases' }).locator('tbody tr[data-opens]');
  await expect(rows).toHaveCount(10);
  await expect(rows.filter({ hasText: subject })).toHaveCount(10);
  // The rows of before may be those of this search too; the count is not.
  await expect(page.getByRole('navigation', { name: 'Pages' })).toContainText('1–10 of 11');
  await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
  await page.getByRole('button', { name: 'Select all 11' }).click();
  await expect(page.getByText('11 selected')).toBeVisible();
  await page.getByRole('button', { name: 'Discard', exact: true }).click();
  await dialog(page, 'Discard 11 drafts?').getByRole('button', { name: 'Discard' }).click();
  await expect(toast(page, '11 drafts discarded.')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'No release matches these filters' })).toBeVisible();
});

test('a row is a link that opens in a new tab, and the list has dates and an order', async ({ page, request }) => {
  const subject = unique('Linked');
  const id = await apiOf(request, 'dana').draft({ subject, to: [SUMMIT] });
  afterwards(() => apiOf(request, 'dana').forget(id));
  await page.goto('/release');
  const link = page.getByRole('link', { name: new RegExp(subject) });
  await expect(link).toHaveAttribute('href', `/release/draft/${id}`);
  const [tab] = await Promise.all([page.context().waitForEvent('page'), link.click({ modifiers: ['Control'] })]);
  await expect(tab).toHaveURL(new RegExp(`/release/draft/${id}$`));
  await tab.close();
  const asked = page.waitForRequest((r) => r.url().includes('orderDir=asc'));
  await page.getByRole('columnheader', { name: 'Date' }).getByRole('button').click();
  await asked;
  await page.getByRole('button', { name: 'Date', exact: true }).first().click();
  const dated = page.waitForRequest((r) => r.url().includes('startDate='));
  await page.getByRole('button', { name: 'Yesterday' }).click();
  await dated;
  await expect(link).toBeHidden();
});
