import { readFile } from 'node:fs/promises';
import type { APIRequestContext, Page } from '@playwright/test';
import { apiOf, dialog, field, unique } from './helpers';
import { practice } from './practice';
import { afterwards, authenticate, expect, test, WORK_MS } from './support';

type Named = { id: string; name: string };
type Saved = Named & { unit: string; city: string; version: number };

/** An organization of its own. */
async function organization(request: APIRequestContext) {
  const ops = apiOf(request, 'ops');
  const first = async (path: string, key = 'items') => (await ops.get<Record<string, Named[]>>(path))[key]![0]!.id;
  const name = unique('Quayside');
  const { id } = await ops.post<Named>('/api/organizations', {
    name,
    subDomain: name.toLowerCase().replace(/\W+/g, '-'),
    brandId: await first('/api/admin/brands?pageSize=100', 'data'),
    organizationTypeId: await first('/api/organizations/types'),
    organizationSpecialtyId: await first('/api/organizations/specialties'),
    hispProviderId: await first('/api/admin/documentsources/documentsourceproviders?pageNumber=1&pageSize=20&type=DirectMessaging'),
    activationStatus: 'NotActivated',
    street: '7 Quay Street',
    city: 'Harborline',
    state: 'OH',
    zip: '43998',
    primaryContactFirstName: 'Ines',
    primaryContactLastName: 'Quill',
    primaryContactEmail: 'ines@quayside.example',
  });
  const path = `/api/organizations/${id}`;
  afterwards(() => ops.remove(path));
  /** Saves a change as somebody else. */
  const change = async (over: Partial<Saved>) => ops.put(path, { ...(await ops.get<Saved>(path)), ...over });
  return { id, change };
}
async function find(page: Page, name: string) {
  await page.goto(`/admin/organizations?search=${encodeURIComponent(name)}`);
  const row = page.getByRole('table', { name: 'Organizations' }).locator('tbody tr').filter({ hasText: name });
  await expect(row).toHaveCount(1);
  return row;
}
async function act(page: Page, name: string, item: string) {
  await page.getByRole('button', { name: `Actions for ${name}` }).click();
  await page.getByRole('menuitem', { name: item, exact: true }).click();
}
async function choose(page: Page, label: string, option?: string) {
  await page.getByRole('combobox', { name: label, exact: true }).click();
  const options = page.getByRole('option');
  await (option ? options.filter({ hasText: option }) : options).first().click();
}

test.beforeEach(async ({ page }) => authenticate(page, 'ops'));

test('an organization is created, found, changed and deleted by name; what is wrong stands in red under its field (ADA-R-005, ADA-R-006, ADA-R-007, SES-R-295)', async ({
  page,
  request,
}) => {
  const name = unique('Wheelhouse');
  const ops = apiOf(request, 'ops');
  const here = async () => (await ops.get<{ items: Named[] }>(`/api/organizations?search=${encodeURIComponent(name)}`)).items;
  afterwards(async () => {
    for (const { id } of await here()) await ops.remove(`/api/organizations/${id}`);
  });
  await page.goto('/admin/organizations/add');
  await expect(page).toHaveURL(/\/add\/details$/);
  await field(page, 'Name').fill(name);
  await field(page, 'Subdomain').fill(name.toLowerCase().replace(/\W+/g, '-'));
  for (const label of ['Type', 'Specialty', 'Brand', 'Plan', 'HISP provider']) await choose(page, label);
  await choose(page, 'State', 'Ohio');
  await field(page, 'City').fill('Bellmont');
  await field(page, 'Zip').fill('43998');
  const street = field(page, 'Street');
  await street.fill('Wheelhouse');
  await street.press('Tab');
  const error = page.getByText('A space is required.');
  const isRed = () => error.evaluate((e) => getComputedStyle(e).color.match(/\d+/g)!.map(Number)).then(([r, g]) => r! > g! + 60);
  await expect.poll(isRed).toBe(true);
  expect((await error.boundingBox())!.y).toBeGreaterThan((await street.boundingBox())!.y);
  await street.fill('55 Wheelhouse Lane');
  await page.getByRole('tab', { name: 'Primary Contact' }).click();
  await field(page, 'First name').fill('Ada');
  await field(page, 'Last name').fill('Reyes');
  await field(page, 'Email').fill('ada@keystone.example');
  await page.getByRole('button', { name: 'Save Changes' }).click();
  await expect(page).toHaveURL(/\/admin\/organizations$/);

  await (await find(page, name)).click();
  await field(page, 'Unit').fill('Suite 4');
  await page.getByRole('button', { name: 'Save Changes' }).click();
  await expect(page).toHaveURL(/\/admin\/organizations$/);
  const [created] = await here();
  expect(await ops.get<Saved>(`/api/organizations/${created!.id}`)).toMatchObject({ unit: 'Suite 4', city: 'Bellmont' });

  await find(page, name);
  await act(page, name, 'Delete Organization');
  await dialog(page, 'Delete Organization').getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByRole('heading', { name: 'No organization matches' })).toBeVisible();
  expect(await here()).toEqual([]);
});

test('what is typed about an organization survives a reload, and is not saved over what somebody else has changed meanwhile', {
  tag: '@critical',
}, async ({ page, request }) => {
  const { id, change } = await organization(request);
  await page.goto(`/admin/organizations/${id}`);
  await field(page, 'City').fill('Elsewhere');
  // The input is based on the version before the reload.
  await change({ unit: 'Suite 1' });
  await page.reload();
  await expect(field(page, 'City')).toHaveValue('Elsewhere');
  await page.getByRole('button', { name: 'Save Changes' }).click();
  await expect(page.getByText('This organization has changed.')).toBeVisible();
  await page.getByRole('button', { name: 'Load their version' }).click();
  await expect(field(page, 'Unit')).toHaveValue('Suite 1');
  await expect(field(page, 'City')).toHaveValue('Harborline');

  await field(page, 'City').fill('Elsewhere');
  await change({ unit: 'Suite 2' });
  await page.getByRole('button', { name: 'Save Changes' }).click();
  await page.getByRole('button', { name: 'Keep mine' }).click();
  await page.getByRole('button', { name: 'Save Changes' }).click();
  await expect(page).toHaveURL(/\/admin\/organizations$/);
  const saved = await apiOf(request, 'ops').get<Saved>(`/api/organizations/${id}`);
  expect(saved.city).toBe('Elsewhere');
});

test('the administrators of an organization are told by e-mail that it is activated (ADA-R-180)', async ({ page, request, browser }) => {
  const { name, subDomain, userName } = await practice(request, 'proven');
  await find(page, name);
  await act(page, name, 'Activation Status');
  const box = dialog(page, 'Activation Status');
  await box.getByRole('radio', { name: 'Activated', exact: true }).check();
  await box.getByRole('checkbox', { name: /Send activation email/ }).check();
  await box.getByRole('button', { name: 'Save' }).click();
  await expect(box).toBeHidden();

  const visitor = await (await browser.newContext()).newPage();
  await visitor.goto('/demo/mailbox');
  await visitor.getByRole('button', { name: `${name} is activated` }).click({ timeout: WORK_MS });
  const mail = visitor.getByRole('article', { name: `${name} is activated` });
  await expect(mail).toContainText(userName);
  await expect(visitor.frameLocator('iframe').getByText(`${subDomain}.direct.carepost.example`)).toBeVisible();
  await expect(mail.getByRole('link', { name: 'Sign in' })).toHaveAttribute('href', /\/account\/login$/);
  await visitor.context().close();
});

test('a long list of choices stays within the window and scrolls in itself', async ({ page }) => {
  await page.goto('/admin/organizations/add/details');
  const state = page.getByRole('combobox', { name: 'State', exact: true });
  for (const height of [900, 480]) {
    await page.setViewportSize({ width: 1440, height });
    await state.click();
    const list = page.getByRole('listbox');
    await expect(list.getByRole('option').first()).toBeInViewport({ ratio: 1 });
    await expect(state).toHaveAttribute('aria-expanded', 'true');
    await expect(state).toHaveAttribute('aria-controls', (await list.getAttribute('id'))!);
    const isWithin = async () => {
      const { y, height: own } = (await list.boundingBox())!;
      return y >= 0 && y + own <= height;
    };
    await expect.poll(isWithin).toBe(true);
    expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBe(height);
    await state.press('ArrowUp');
    await expect(list.getByRole('option').last()).toBeInViewport({ ratio: 1 });
    await state.press('Escape');
    await expect(list).toBeHidden();
  }
});

test('the Direct addresses of all organizations are exported as one file (ADA-R-062, ADA-T-005)', async ({ page }) => {
  await page.goto('/admin/organizations');
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export Direct Addresses' }).click();
  const file = await download;
  expect(file.suggestedFilename()).toMatch(/_direct-addresses_\d{8}T\d{6}Z\.csv$/);
  expect(await readFile(await file.path(), 'utf8')).toContain('intake@summit-ortho.direct.carepost.example');
});
