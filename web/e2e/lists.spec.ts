import { type Page } from '@playwright/test';
import { expect, signIn, test } from './support';

const stamp = () => Date.now().toString(36);
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const dialog = (page: Page, name: string) => page.getByRole('dialog', { name });
const row = (page: Page, list: string, text: string) =>
  page.getByRole('table', { name: list }).locator('tbody tr').filter({ hasText: text });
const shows = (page: Page, text: string) => expect(page.getByText(text).first()).toBeVisible();
async function fromMenu(page: Page, name: string, item: string) {
  await button(page, `Actions for ${name}`).click();
  await page.getByRole('menuitem', { name: item, exact: true }).click();
}

test('reserved words are found, filtered, turned around and paged (ADA-S-049, ADA-R-333, ADA-R-334, ADA-R-335, ADA-R-336)', async ({
  page,
}) => {
  await signIn(page, 'ops');
  await page.goto('/admin/reservedwords');
  const sizes = page.getByRole('combobox', { name: 'Rows per page' });
  await expect(sizes).toHaveValue('10');
  await expect(sizes.getByRole('option')).toHaveText(['10', '25', '50', '100']);
  const request = page.waitForRequest((r) => r.url().includes('sortDir=desc'));
  await button(page, 'Word').click();
  await request;
  await expect(page.getByRole('columnheader', { name: 'Word' })).toHaveAttribute('aria-sort', 'descending');
  await button(page, 'Profanity').first().click();
  const filtered = page.waitForRequest((r) => r.url().includes('profanity=false'));
  await page.getByRole('radio', { name: 'No' }).click();
  await filtered;
  await expect(page).toHaveURL(/profanity=false/);
  await page.keyboard.press('Escape');
  await page.getByLabel('Search reserved words').fill('admin');
  await expect(row(page, 'Reserved words', 'admin').first()).toBeVisible();
});

test('a reserved word is created, changed and deleted (ADA-S-050, ADA-R-029)', async ({ page }) => {
  await signIn(page, 'ops');
  await page.goto('/admin/reservedwords');
  const word = `word-${stamp()}`;
  await button(page, 'Create').click();
  const form = dialog(page, 'New reserved word');
  const name = form.getByRole('textbox', { name: 'Word' });
  await name.fill('-no-');
  await form.getByRole('button', { name: 'Create' }).click();
  await shows(page, 'Please enter a word of letters, digits and inner hyphens, as it would stand in a subdomain.');
  await name.fill(word);
  await form.getByRole('checkbox', { name: 'Profanity' }).check();
  await form.getByRole('button', { name: 'Create' }).click();
  await shows(page, 'The reserved word was created.');
  await page.getByLabel('Search reserved words').fill(word);
  await expect(row(page, 'Reserved words', word)).toContainText('Yes');
  await fromMenu(page, word, 'Edit');
  const edit = dialog(page, 'Edit reserved word');
  await edit.getByRole('checkbox', { name: 'Profanity' }).uncheck();
  await edit.getByRole('button', { name: 'Save Changes' }).click();
  await shows(page, 'The reserved word was saved.');
  await expect(row(page, 'Reserved words', word)).toContainText('No');
  await fromMenu(page, word, 'Delete');
  await dialog(page, 'Delete reserved word').getByRole('button', { name: 'Delete' }).click();
  await shows(page, 'The reserved word was deleted.');
  await expect(page.getByRole('heading', { name: 'No reserved word matches' })).toBeVisible();
});

test('a specialty is created, found, renamed and deleted (ADB-S-036, ADB-R-239, ADB-R-240, ADB-R-241, ADB-R-242)', async ({ page }) => {
  await signIn(page, 'ops');
  await page.goto('/admin/organizationspecialties');
  const list = 'Organization specialties';
  for (const column of ['Name', 'ID']) await expect(page.getByRole('columnheader', { name: column, exact: true })).toBeVisible();
  const name = `Specialty ${stamp()}`;
  await page.keyboard.press('n');
  await dialog(page, 'New specialty').getByRole('textbox', { name: 'Name' }).fill(name);
  await page.keyboard.press('Control+Enter');
  await shows(page, 'The specialty was created.');
  await page.getByLabel('Search specialties').fill(name);
  await expect(row(page, list, name)).toHaveCount(1);
  await fromMenu(page, name, 'Edit');
  const edit = dialog(page, 'Edit specialty');
  await edit.getByRole('textbox', { name: 'Name' }).fill(`${name} renamed`);
  await edit.getByRole('button', { name: 'Save Changes' }).click();
  await shows(page, 'The specialty was saved.');
  await fromMenu(page, `${name} renamed`, 'Delete');
  await button(page, 'Delete').click();
  await shows(page, 'The specialty was deleted.');
  await expect(page.getByRole('heading', { name: 'No specialty matches' })).toBeVisible();
});
