import type { Page } from '@playwright/test';
import { authenticate, expect, test } from './support';

// The checks of subdomains, plans and versions are the server's.

const dialog = (page: Page, name?: string | RegExp) => page.getByRole('dialog', name ? { name } : undefined);
const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });
const rows = (page: Page) => page.getByRole('table', { name: 'Organizations' }).locator('tbody tr');
const stamp = () => Date.now().toString(36);

async function find(page: Page, name: string) {
  await page.goto('/admin/organizations');
  await page.getByLabel('Search organizations').fill(name);
  await expect(rows(page)).toHaveCount(1);
  await expect(rows(page).first()).toContainText(name);
}
async function act(page: Page, name: string, item: string) {
  await page.getByRole('button', { name: `Actions for ${name}` }).click();
  await page.getByRole('menuitem', { name: item }).click();
}
async function choose(page: Page, label: string, option?: string) {
  await page.getByLabel(label, { exact: false }).and(page.locator('input:not([type=hidden])')).first().click();
  const options = page.getByRole('option');
  await (option ? options.filter({ hasText: option }) : options).first().click();
}
/** Fills in everything that is required. */
async function create(page: Page, name: string) {
  await page.goto('/admin/organizations/add');
  await expect(page).toHaveURL(/add\/details$/);
  await field(page, 'Name').fill(name);
  await field(page, 'Subdomain').fill(name.toLowerCase().replace(/\W+/g, '-'));
  for (const label of ['Type', 'Specialty', 'Brand', 'Plan', 'HISP provider']) await choose(page, label);
  await choose(page, 'State', 'Ohio');
  await field(page, 'Street').fill('55 Wheelhouse Lane');
  await field(page, 'City').fill('Bellmont');
  await field(page, 'Zip').fill('43998');
  await page.getByRole('tab', { name: 'Primary Contact' }).click();
  await field(page, 'First name').fill('Ada');
  await field(page, 'Last name').fill('Reyes');
  await field(page, 'Email').fill('ada@keystone.example');
  await page.getByRole('button', { name: 'Save Changes' }).click();
  await expect(page.getByText('The organization was saved successfully.')).toBeVisible();
  await expect(page).toHaveURL(/\/admin\/organizations$/);
}

test.beforeEach(async ({ page }) => authenticate(page, 'ops'));

test('the list is sorted, searched and paged, and its state stays in the address (ADA-R-051, ADA-R-056)', async ({ page }) => {
  await page.goto('/admin/organizations');
  await expect(rows(page).first()).toBeVisible();
  const header = page.getByRole('columnheader', { name: 'Organization' });
  await expect(header).toHaveAttribute('aria-sort', 'ascending');
  await expect(rows(page)).toHaveCount(10);
  await header.getByRole('button').click();
  await expect(page).toHaveURL(/dir=desc/);
  await expect(header).toHaveAttribute('aria-sort', 'descending');
  await page.getByLabel('Rows per page').selectOption('25');
  await expect(page).toHaveURL(/size=25/);
  await page.getByLabel('Search organizations').fill('Larkfield');
  await expect(rows(page)).toHaveCount(1);
  await page.reload();
  await expect(rows(page)).toHaveCount(1);
});

test('an organization is found by any words of its name, in any order (ADA-S-002)', async ({ page }) => {
  await page.goto('/admin/organizations');
  await page.getByLabel('Search organizations').fill('rheum dunmore');
  await expect(rows(page)).toHaveCount(1);
  await expect(rows(page).first()).toContainText('Dunmore Rheumatology');
});

test('a login is disabled and enabled again from the list (ADA-R-183, ADA-T-009, ADA-T-010)', async ({ page }) => {
  await find(page, 'Dunmore Rheumatology');
  await act(page, 'Dunmore Rheumatology', 'Disable Login');
  await expect(page.getByText('Organization Login Ability has been updated.')).toBeVisible();
  await expect(rows(page).getByText('Disabled')).toBeVisible();
  await act(page, 'Dunmore Rheumatology', 'Enable Login');
  await expect(rows(page).getByText('Enabled')).toBeVisible();
});

test('a form with gaps is not saved: the tabs that hold them are flagged (ADA-R-075, ADA-R-079)', async ({ page }) => {
  await page.goto('/admin/organizations/add/contact');
  await expect(page.getByRole('heading', { name: 'Add Organization' })).toBeVisible();
  await page.getByRole('button', { name: 'Save Changes' }).click();
  await expect(page.getByText('Please fill out all required fields.')).toBeVisible();
  await expect(page.getByRole('tab', { name: /Details 1[01] invalid/ })).toBeVisible();
  await expect(page.getByRole('tab', { name: /Primary Contact 3 invalid/ })).toBeVisible();
  await expect(field(page, 'First name')).toBeFocused();
});

test('a subdomain that is taken is refused (ADA-R-211, ADA-R-214)', async ({ page }) => {
  await page.goto('/admin/organizations/add');
  await field(page, 'Subdomain').fill('larkfield');
  await expect(
    page.getByText('This subdomain already exists, contains invalid characters or is a reserved word, please enter a different one.'),
  ).toBeVisible();
});

test('an organization is created, changed and deleted by name (ADA-R-005, ADA-R-006, ADA-R-007)', async ({ page }) => {
  const name = `Wheelhouse ${stamp()}`;
  await create(page, name);
  await find(page, name);
  await rows(page).first().click();
  await expect(page).toHaveURL(/\/details$/);
  await expect(page.getByRole('heading', { name })).toBeVisible();
  await field(page, 'Unit').fill('Suite 4');
  await page.getByRole('button', { name: 'Save Changes' }).click();
  await expect(page.getByText('The organization was saved successfully.')).toBeVisible();
  await find(page, name);
  await act(page, name, 'Delete Organization');
  await expect(dialog(page, 'Delete Organization').getByText(name)).toBeVisible();
  await dialog(page, 'Delete Organization').getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByText('The organization was deleted successfully.')).toBeVisible();
});

test('two people who change the same organization do not overwrite each other unknowingly', async ({ page, context }) => {
  const name = `Twice ${stamp()}`;
  await create(page, name);
  await find(page, name);
  await rows(page).first().click();
  await expect(field(page, 'Unit')).toBeVisible();
  const other = await context.newPage();
  await other.goto(page.url());
  await field(other, 'Unit').fill('Suite 1');
  await other.getByRole('button', { name: 'Save Changes' }).click();
  await expect(other.getByText('The organization was saved successfully.')).toBeVisible();
  await field(page, 'City').fill('Elsewhere');
  await page.getByRole('button', { name: 'Save Changes' }).click();
  await expect(page.getByText('This organization has changed.')).toBeVisible();
  await page.getByRole('button', { name: 'Load their version' }).click();
  await expect(field(page, 'Unit')).toHaveValue('Suite 1');
  await expect(field(page, 'City')).toHaveValue('Bellmont');

  // What was typed before a reload is based on what was there before it.
  await field(page, 'City').fill('Elsewhere');
  await find(other, name);
  await rows(other).first().click();
  await field(other, 'Unit').fill('Suite 2');
  await other.getByRole('button', { name: 'Save Changes' }).click();
  await expect(other.getByText('The organization was saved successfully.').last()).toBeVisible();
  await page.reload();
  await expect(field(page, 'City')).toHaveValue('Elsewhere');
  await page.getByRole('button', { name: 'Save Changes' }).click();
  await expect(page.getByText('This organization has changed.')).toBeVisible();
  await page.getByRole('button', { name: 'Load their version' }).click();
  await expect(field(page, 'Unit')).toHaveValue('Suite 2');
});

test('a form whose choices could not be loaded says so, and tries again', async ({ page }) => {
  await authenticate(page, 'ops');
  const networks = /\/api\/networks\?/;
  await page.route(networks, (route) => route.fulfill({ status: 503, json: { title: 'Refused', status: 503 } }));
  await page.goto('/admin/organizations/add');
  const failed = page.getByRole('alert').filter({ hasText: 'What can be chosen here could not be loaded.' });
  await expect(failed).toBeVisible();
  await page.unroute(networks);
  await failed.getByRole('button', { name: 'Try again' }).click();
  await expect(failed).toHaveCount(0);
});
