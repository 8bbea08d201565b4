import type { Page } from '@playwright/test';
import { apiOf, hold, toggle, unique } from './helpers';
import { afterwards, authenticate, expect, signIn, test } from './support';

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const dialog = (page: Page, name: string) => page.getByRole('dialog', { name });
const shows = (page: Page, text: string) => expect(page.getByText(text).first()).toBeVisible();
const row = (page: Page, list: string, text: string) =>
  page.getByRole('table', { name: list }).locator('tbody tr').filter({ hasText: text });
async function fromMenu(page: Page, name: string, item: string) {
  await button(page, `Actions for ${name}`).click();
  await page.getByRole('menuitem', { name: item, exact: true }).click();
}

test('a feature is created, switched in the list, renamed and deleted (ADB-S-001, ADB-S-002, ADB-R-009, ADB-R-010, ADB-R-011, ADB-R-012, ADB-R-013, ADB-R-014, ADB-R-015, ADB-R-018, ADB-R-019, ADB-R-020, ADB-R-021, ADB-R-026, ADB-R-027, ADB-T-001, ADB-T-002, ADB-T-003, ADB-T-005, ADB-T-006, ADB-T-009, ADB-T-010)', async ({
  page,
}) => {
  await signIn(page, 'ops', '/admin/featureToggle');
  for (const title of ['Name', 'Created', 'Enabled', 'Organization Feature']) {
    await expect(page.getByRole('columnheader', { name: title, exact: true })).toBeVisible();
  }
  const name = unique('Feature');
  await button(page, 'Create').click();
  const form = dialog(page, 'Create Feature');
  await form.getByRole('textbox', { name: 'Name' }).fill('abc');
  await form.getByRole('button', { name: 'Create' }).click();
  await shows(page, 'Please enter a name of 4 to 150 characters.');
  await form.getByRole('textbox', { name: 'Name' }).fill(name);
  await form.getByRole('checkbox', { name: 'Enable Orgs' }).uncheck();
  await form.getByRole('button', { name: 'Create' }).click();
  await shows(page, 'The feature was saved successfully.');
  await page.getByLabel('Search features').fill(name);
  await expect(row(page, 'Features', name)).toHaveCount(1);
  const enabled = page.getByRole('switch', { name: `Enabled: ${name}` });
  const byOrganization = page.getByRole('switch', { name: `Organization Feature: ${name}` });
  const saved = page.waitForResponse((r) => r.request().method() === 'PUT' && r.url().includes('/api/admin/features/'));
  await enabled.press('Space');
  await saved;
  await expect(enabled).not.toBeChecked();
  await expect(enabled).toHaveAttribute('aria-busy', 'false');
  await byOrganization.press('Space');
  await expect(byOrganization).toBeChecked();
  // The form begins with what is saved.
  await expect(byOrganization).toHaveAttribute('aria-busy', 'false');
  await expect(enabled).not.toBeChecked();
  await row(page, 'Features', name).getByText(name).click();
  const edit = dialog(page, 'Update Feature');
  await expect(edit.getByRole('checkbox', { name: 'Enabled' })).not.toBeChecked();
  await edit.getByRole('textbox', { name: 'Name' }).fill(`${name} renamed`);
  await edit.getByRole('button', { name: 'Save Changes' }).click();
  await expect(row(page, 'Features', `${name} renamed`)).toHaveCount(1);
  await fromMenu(page, `${name} renamed`, 'Delete');
  const question = dialog(page, 'Delete Feature');
  for (const field of [
    question.getByRole('textbox', { name: 'Name' }),
    question.getByRole('checkbox', { name: 'Enabled' }),
    question.getByRole('checkbox', { name: 'Enable Orgs' }),
  ]) {
    await expect(field).toBeDisabled();
  }
  await question.getByRole('button', { name: 'Delete' }).click();
  await shows(page, 'The feature was deleted successfully.');
});

test('a switch that is refused snaps back and says why (ADB-R-028)', async ({ page }) => {
  await signIn(page, 'ops', '/admin/featureToggle?search=WestFax');
  const enabled = page.getByRole('switch', { name: 'Enabled: WestFaxInterface' });
  await expect(enabled).toBeChecked();
  const refusal = { title: 'Conflict', status: 409, message: 'Somebody else has changed this feature since you opened it.' };
  await page.route('**/api/admin/features/*', (route) => route.fulfill({ status: 409, json: refusal }));
  const answer = await hold(page, '**/api/admin/features/*');
  await toggle(enabled, false);
  answer();
  await shows(page, 'Somebody else has changed this feature since you opened it.');
  await expect(enabled).toBeChecked();
});

test('audit entries are searched, filtered, opened and downloaded (ADB-S-035, ADB-R-229, ADB-R-231, ADB-R-232, ADB-R-233, ADB-R-234, ADB-R-235, ADB-R-236, ADB-R-237)', async ({
  page,
}) => {
  await signIn(page, 'ops', '/admin/audits');
  const sizes = page.getByRole('combobox', { name: 'Rows per page' });
  await expect(sizes).toHaveValue('25');
  expect(await page.getByRole('button', { name: /^Page \d+$/ }).count()).toBeLessThanOrEqual(4);
  const asked = page.waitForRequest((r) => r.url().endsWith('/api/admin/audits') && r.postDataJSON().username === 'ops@');
  await page.getByLabel('User name').fill('ops@');
  await asked;
  const filtered = page.waitForRequest((r) => r.url().endsWith('/api/admin/audits') && r.postDataJSON().search === 'signed');
  await page.getByLabel('Filter the entries').fill('signed');
  await filtered;
  await button(page, 'More about Signed in by ops@carepost.example').first().click();
  await shows(page, 'Succeeded');
  const download = page.waitForEvent('download');
  await button(page, 'CSV').click();
  expect((await download).suggestedFilename()).toMatch(/^AuditEntries_\d{8}-\d{8}\.csv$/);
  await page.getByRole('textbox', { name: 'Start Date' }).fill('01/01/2099');
  await page.getByRole('textbox', { name: 'Start Date' }).blur();
  await shows(page, 'Start Date must be smaller or equal than End Date.');
});

test('the audit trail is verified from the screen', async ({ page }) => {
  await signIn(page, 'ops', '/admin/audits');
  await button(page, 'Verify').click();
  await expect(dialog(page, 'Verify the audit trail').getByText(/Every entry is as it was written|Nothing was kept outside/)).toBeVisible({
    timeout: 20_000,
  });
});

test('an organization is whitelisted, renamed and removed, and users of an integration are listed (ADB-S-037, ADB-S-038, ADB-R-006)', async ({
  page,
}) => {
  await signIn(page, 'ops', '/admin/integrationswhitelist');
  const name = unique('Pilot');
  await button(page, 'Create').click();
  const form = dialog(page, 'New entry');
  await form.getByRole('textbox', { name: 'Name' }).fill(name);
  await form.getByRole('combobox', { name: 'Integration' }).click();
  await page.getByRole('option', { name: 'Webhooks' }).click();
  await form.getByRole('combobox', { name: 'Organization' }).fill('Lark');
  await page
    .getByRole('option', { name: /^Larkfield/ })
    .first()
    .click();
  await form.getByRole('button', { name: 'Create' }).click();
  await shows(page, 'The entry was created.');
  await page.getByLabel('Search entries').fill(name);
  await expect(row(page, 'Integrations whitelist', name)).toContainText('Larkfield');
  await fromMenu(page, name, 'Edit');
  const edit = dialog(page, 'Edit entry');
  await edit.getByRole('textbox', { name: 'Name' }).fill(`${name} renamed`);
  await edit.getByRole('button', { name: 'Save Changes' }).click();
  await shows(page, 'The entry was saved.');
  await fromMenu(page, `${name} renamed`, 'Delete');
  await dialog(page, 'Delete entry').getByRole('button', { name: 'Delete' }).click();
  await shows(page, 'The entry was deleted.');
  await button(page, 'Integrations').first().click();
  const all = dialog(page, 'Integrations');
  await all.getByRole('button', { name: /^Fax services/ }).click();
  await expect(all.getByRole('list', { name: 'Organizations with fax services' })).toContainText('Allowed');
});

test('licences are generated, shown once in a dialog that stays, and found among those that expire soon (ADB-S-004, ADB-S-005, ADB-S-006, ADB-S-007, ADB-S-008, ADB-R-039, ADB-R-040, ADB-R-041, ADB-R-042, ADB-R-045, ADB-R-046, ADB-R-048, ADB-R-051, ADB-R-052, ADB-R-053, ADB-R-054, ADB-R-055, ADB-R-056, ADB-R-067, ADB-R-068, ADB-R-069, ADB-R-072, ADB-R-073, ADB-R-077, ADB-R-078, ADB-R-079, ADB-T-011, ADB-T-012, ADB-T-013, ADB-T-014, ADB-T-015)', async ({
  page,
}) => {
  await signIn(page, 'ops', '/admin/licensekeys');
  await button(page, 'Generate').click();
  const form = dialog(page, 'Generate License Keys');
  const generate = form.getByRole('button', { name: 'Generate' });
  await expect(generate).toBeDisabled();
  const reference = form.getByRole('textbox', { name: 'Reference' });
  await expect(reference).toHaveValue(/^[0-9a-f-]{36}$/);
  await expect(reference).not.toBeEditable();
  await form.getByRole('button', { name: 'Edit the reference' }).click();
  await expect(reference).toBeEditable();
  await form.getByRole('textbox', { name: 'Name', exact: true }).fill('Dana Reyes');
  await form.getByRole('textbox', { name: 'Email' }).fill('dana@larkfield.example');
  await form.getByRole('textbox', { name: 'Product name' }).fill('Connector');
  await form.getByRole('textbox', { name: 'Expires in days' }).fill('30');
  await form.getByRole('combobox', { name: 'Organization' }).fill('Lark');
  await page
    .getByRole('option', { name: /^Larkfield/ })
    .first()
    .click();
  await expect(generate).toBeDisabled();
  await form.getByRole('checkbox', { name: 'Licensed Plan' }).check();
  const issued = page.waitForRequest((r) => r.url().endsWith('/api/licenses/issue'));
  await generate.click();
  expect((await issued).headers()['content-type']).toContain('application/x-www-form-urlencoded');
  const result = dialog(page, 'Generated License Keys');
  await expect(result.getByRole('listitem')).toHaveText(/^CPL1\./);
  await page.keyboard.press('Escape');
  await page.mouse.click(5, 5);
  await expect(result).toBeVisible();
  const again = page.waitForRequest((r) => r.url().includes('/api/adminlicenses'));
  await result.getByRole('button', { name: 'Close' }).click();
  await again;
  for (const title of ['License key', 'License type', 'Organization', 'Connector ID', 'Connector name', 'Issued date', 'Expiration date']) {
    await expect(page.getByRole('columnheader', { name: title, exact: true })).toBeAttached();
  }
  const sizes = page.getByRole('combobox', { name: 'Rows per page' });
  await expect(sizes).toHaveValue('20');
  await expect(sizes.getByRole('option')).toHaveText(['10', '20', '50', '100']);
  const soon = page.waitForRequest((r) => decodeURIComponent(r.url()).includes('ExpirationDate'));
  await toggle(page.getByRole('switch', { name: 'Expiring Soon' }));
  await soon;
  await expect(row(page, 'License Keys', 'Larkfield').first()).toBeVisible();
});

test('a refusal of licences is said in the words of the screen (ADB-R-081, ADB-T-016)', async ({ page }) => {
  await signIn(page, 'ops', '/admin/licensekeys');
  await button(page, 'Generate').click();
  const form = dialog(page, 'Generate License Keys');
  await form.getByRole('textbox', { name: 'Name', exact: true }).fill('Dana Reyes');
  await form.getByRole('textbox', { name: 'Email' }).fill('dana@larkfield.example');
  await form.getByRole('textbox', { name: 'Product name' }).fill('Connector');
  await form.getByRole('combobox', { name: 'Organization' }).fill('Lark');
  await page
    .getByRole('option', { name: /^Larkfield/ })
    .first()
    .click();
  await form.getByRole('checkbox', { name: 'Licensed Plan' }).check();
  await page.route('**/api/licenses/issue', (route) =>
    route.fulfill({ status: 409, json: { title: 'Conflict', status: 409, message: 'No more licences.' } }),
  );
  await form.getByRole('button', { name: 'Generate' }).click();
  await shows(page, 'Error generating licenses: No more licences.');
});

test('captured calls are searched, opened, and shown to whoever says why (ADB-S-033, ADB-S-034, ADB-R-216, ADB-R-219, ADB-R-224, ADB-R-225)', async ({
  page,
  request,
}) => {
  const ops = apiOf(request, 'ops');
  const { items } = await ops.get<{ items: { id: string; subDomain: string }[] }>('/api/organizations?pageSize=100&pageNumber=1');
  const path = `/api/organizations/${items.find((o) => o.subDomain.startsWith('summit'))!.id}/apicapture`;
  await ops.put(path, { enable: true });
  afterwards(() => ops.put(path, { enable: false }));
  await apiOf(request, 'sam').get('/api/features');
  await authenticate(page, 'ops');
  await expect
    .poll(async () => (await ops.get<{ totalCount: number }>('/api/diagnostics/apicapture')).totalCount, { timeout: 10_000 })
    .toBeGreaterThan(0);
  await page.goto('/admin/apicapture');
  await expect(page.getByLabel('Start', { exact: true })).toHaveValue(/T00:00(:00)?$/);
  await expect(page.getByRole('combobox', { name: 'Rows per page' })).toHaveValue('20');
  const asked = page.waitForRequest((r) => decodeURIComponent(r.url()).includes('"url":"/api/features"'));
  await page.getByLabel('URL').fill('/api/features');
  await asked;
  await button(page, 'More about GET /api/features').first().click();
  await expect(page.getByRole('region', { name: 'Request' }).first()).toContainText('authorization');
  await button(page, 'Show query and bodies').first().click();
  const reason = dialog(page, 'Show query and bodies');
  await reason.getByRole('textbox', { name: 'Reason' }).fill('Ticket 4711');
  await reason.getByRole('button', { name: 'Show' }).click();
  await expect(page.getByRole('region', { name: 'Response' }).first()).toContainText('isEnabled');
});
