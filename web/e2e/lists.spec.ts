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

test('an entry of the vocabulary is added and retired, and organizations can no longer choose it', async ({ page }) => {
  await signIn(page, 'ops');
  await page.goto('/admin/organizationtypes');
  const name = `Sleep center ${stamp()}`;
  await button(page, 'Create').click();
  const form = dialog(page, 'New organization type');
  await form.getByRole('textbox', { name: 'Name' }).fill(name);
  await form.getByRole('button', { name: 'Create' }).click();
  await shows(page, 'The organization type was created.');
  await page.getByLabel('Search organization types').fill(name);
  await expect(row(page, 'Organization types', name)).toContainText('Offered');
  await fromMenu(page, name, 'Edit');
  const edit = dialog(page, 'Edit organization type');
  await edit.getByRole('checkbox', { name: 'Retired' }).check();
  await edit.getByRole('button', { name: 'Save Changes' }).click();
  await expect(row(page, 'Organization types', name)).toContainText('Retired');
  await fromMenu(page, name, 'Delete');
  await dialog(page, 'Delete organization type').getByRole('button', { name: 'Delete' }).click();
  await shows(page, 'The organization type was deleted.');
});

test('what an organization has cannot be deleted, and the reason says how many do', async ({ page }) => {
  await signIn(page, 'ops');
  await page.goto('/admin/plans?search=Professional');
  await fromMenu(page, 'Professional', 'Delete');
  await dialog(page, 'Delete plan').getByRole('button', { name: 'Delete' }).click();
  await expect(
    page.getByText(/^\d+ organizations? uses? this entry, so it cannot be deleted\.$|^\d+ organizations use this entry/).first(),
  ).toBeVisible();
});

test('a version of the terms is uploaded, read and deleted (ADA-S-057, ADA-S-058, ADA-S-059, ADA-R-169, ADA-R-170, ADA-R-314)', async ({
  page,
}) => {
  await signIn(page, 'ops');
  await page.goto('/admin/eulas');
  const version = `9${String(Date.now()).slice(-7)}`;
  await button(page, 'Create').click();
  const form = dialog(page, 'New EULA');
  await form.getByRole('combobox', { name: 'Brand' }).click();
  await page.getByRole('option', { name: 'All brands without terms of their own' }).click();
  await form.getByRole('textbox', { name: 'Version' }).fill(version);
  const file = { name: 'terms.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7') };
  await form.locator('input[type="file"]').setInputFiles(file);
  await form.getByRole('button', { name: 'Create' }).click();
  await shows(page, 'You must select a html file.');
  const html = { name: 'terms.html', mimeType: 'text/html', buffer: Buffer.from('<h2>Rules</h2><script>alert(1)</script><p>Be kind.</p>') };
  await form.locator('input[type="file"]').setInputFiles(html);
  await form.getByRole('button', { name: 'Create' }).click();
  await shows(page, 'The TOS was created successfully.');
  await page.getByLabel('Search EULAs').fill(version);
  const name = `EULA ${version}, All brands without terms of their own`;
  await fromMenu(page, name, 'View');
  await expect(dialog(page, name).getByText('Be kind.')).toBeVisible();
  await page.keyboard.press('Escape');
  await fromMenu(page, name, 'Delete');
  await dialog(page, 'Delete EULA').getByRole('button', { name: 'Delete' }).click();
  await shows(page, 'The TOS was deleted successfully.');
});

test('an organization gets an alternate OID, makes it the default and gives it up (ADA-S-024, ADA-S-025, ADA-S-026, ADA-R-016, ADA-R-082, ADA-R-083, ADA-R-084, ADA-R-085, ADA-R-086)', async ({
  page,
}) => {
  await signIn(page, 'ops');
  await page.goto('/admin/organizations?search=Larkfield');
  await page.getByText('Larkfield Family Medicine').first().click();
  await page.getByRole('tab', { name: 'Carequality' }).click();
  const value = `2.16.840.1.113883.3.9999.${Date.now()}`;
  await button(page, 'Add OID').click();
  const form = dialog(page, 'Add Alternate Organization OID');
  await form.getByRole('textbox', { name: 'Value' }).fill(value);
  await form.getByRole('button', { name: 'Save' }).click();
  await shows(page, 'The OID was added successfully.');
  const toggle = page.getByRole('switch', { name: `Default: ${value}` });
  await page.route('**/oids', (route) =>
    route.request().method() === 'PUT' ? route.fulfill({ status: 500, json: { title: 'Internal error' } }) : route.continue(),
  );
  await toggle.click({ force: true });
  await shows(page, 'There was an error updating this OID.');
  await expect(toggle).not.toBeChecked();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await toggle.click({ force: true });
  await expect(toggle).toBeChecked();
  await button(page, `Delete ${value}`).click();
  await dialog(page, 'Delete OID').getByRole('button', { name: 'Delete' }).click();
  await expect(toggle).toHaveCount(0);
});

test('operators switch the features of a network (SES-S-071, SES-R-307, SES-R-308)', async ({ page }) => {
  await signIn(page, 'ops');
  await page.goto('/admin/networks?search=Quarry');
  await page.getByText('Quarry Valley Care Network').first().click();
  await page.getByRole('tab', { name: 'Features' }).click();
  const name = `Feature${stamp()}`;
  await button(page, 'Add feature').click();
  const form = dialog(page, 'Add a Feature');
  await form.getByRole('textbox', { name: 'Name' }).fill(name);
  await form.getByRole('button', { name: 'Add' }).click();
  await shows(page, 'The feature was added.');
  const toggle = page.getByRole('switch', { name });
  await expect(toggle).toBeChecked();
  await toggle.click({ force: true });
  await expect(toggle).not.toBeChecked();
  await expect(toggle).toHaveAttribute('aria-busy', 'false');
  await button(page, `Remove ${name}`).click();
  await dialog(page, 'Remove feature').getByRole('button', { name: 'Remove' }).click();
  await shows(page, 'The feature was removed.');
});
