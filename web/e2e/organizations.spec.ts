import { readFile } from 'node:fs/promises';
import type { APIRequestContext, Page } from '@playwright/test';
import { apiOf, dialog, field, pick, readToast, refuse, toast, toggle, unique } from './helpers';
import { afterwards, authenticate, expect, test } from './support';

const rows = (page: Page) => page.getByRole('table', { name: 'Organizations' }).locator('tbody tr');
const column = async (page: Page, title: string) => {
  const titles = await page.getByRole('columnheader').allInnerTexts();
  return rows(page)
    .first()
    .locator('td')
    .nth(titles.findIndex((t) => t.trim() === title));
};
type Named = { id: string; name: string };

/** An organization of its own, and its name. */
async function organization(request: APIRequestContext, over: object = {}) {
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
    ...over,
  });
  afterwards(() => ops.remove(`/api/organizations/${id}`).catch(() => undefined));
  return { id, name };
}
async function find(page: Page, name: string) {
  await page.goto('/admin/organizations');
  await page.getByLabel('Search organizations').fill(name);
  await expect(rows(page)).toHaveCount(1);
  await expect(rows(page).first()).toContainText(name);
}
async function act(page: Page, name: string, item: string) {
  await page.getByRole('button', { name: `Actions for ${name}` }).click();
  await page.getByRole('menuitem', { name: item, exact: true }).click();
}

test.beforeEach(async ({ page }) => authenticate(page, 'ops'));

test('the list shows its columns and states in words (ADA-S-002, ADA-R-050, ADA-R-052, ADA-R-053, ADA-T-015, ADA-T-016, ADA-T-017)', async ({
  page,
  request,
}) => {
  const { name } = await organization(request);
  await find(page, name);
  const titles = (await page.getByRole('columnheader').allInnerTexts()).map((t) => t.trim()).filter(Boolean);
  expect(titles.slice(0, 9)).toEqual([
    'ID',
    'Organization',
    'Network',
    'Subdomain',
    'Reseller',
    'Tier',
    'Activation',
    'Login',
    'Login type',
  ]);
  await expect(await column(page, 'Activation')).toHaveText('Not Activated');
  await expect(await column(page, 'Login')).toHaveText('Enabled');
  await expect(await column(page, 'Tier')).toHaveText('Free');
  await find(page, 'Larkfield Family Medicine');
  await expect(await column(page, 'Activation')).toHaveText('Activated');
  await expect(await column(page, 'Subdomain')).toHaveText('larkfield');
});

test('a search waits 400 ms after the last key; pages have 10, 25, 50 or 100 rows (ADA-R-057, ADA-R-058, ADA-R-059, ADA-R-060, ADA-S-064)', async ({
  page,
}) => {
  const asked: URL[] = [];
  page.on('request', (r) => {
    const url = new URL(r.url());
    if (url.pathname === '/api/organizations') asked.push(url);
  });
  await page.goto('/admin/organizations');
  await expect(rows(page)).toHaveCount(10);
  expect(asked.at(-1)!.search).toMatch(/sortDir=asc&pageNumber=1&pageSize=10/);
  await page.getByLabel('Search organizations').pressSequentially('lark', { delay: 80 });
  await expect.poll(() => asked.at(-1)!.searchParams.get('search')).toBe('lark');
  expect(asked.map((u) => u.searchParams.get('search')).filter((s) => s === 'l' || s === 'la' || s === 'lar')).toEqual([]);
  await page.getByLabel('Search organizations').fill('');
  await expect(rows(page)).toHaveCount(10);
  await expect(page.getByLabel('Rows per page').locator('option')).toHaveText(['10', '25', '50', '100']);
  for (const name of ['First page', 'Previous page', 'Next page', 'Last page'])
    await expect(page.getByRole('button', { name, exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'Next page' }).click();
  await expect.poll(() => asked.at(-1)!.searchParams.get('pageNumber')).toBe('2');
});

test('a page behind the end of the list leads to its last one', async ({ page }) => {
  await page.goto('/admin/organizations?page=900');
  await expect(page).not.toHaveURL(/page=900/);
  await expect(page.getByRole('button', { name: /^Actions for/ }).first()).toBeVisible();
  await expect(page.getByRole('button', { name: 'Next page' })).toBeDisabled();
});

test('the switch asks for those that cancel, and Clear Cancellation stands only there (ADA-S-020, ADA-R-061, ADA-R-063, ADA-R-068, ADA-T-006, ADA-T-012, ADA-T-098, ADA-T-099)', async ({
  page,
  request,
}) => {
  const name = 'Summit Orthopedics';
  const ops = apiOf(request, 'ops');
  const { items } = await ops.get<{ items: Named[] }>('/api/organizations?search=Summit');
  const clearing = `/api/organizations/${items.find((o) => o.name === name)!.id}/clearcancel`;
  await apiOf(request, 'sam').post('/api/subscriptionplans/cancel', { cancelReason: 'We close the practice.' });
  afterwards(() => ops.post(clearing).catch(() => undefined));
  await page.goto('/admin/organizations');
  await toggle(page.getByRole('switch', { name: 'Show Canceled / Canceling Soon' }));
  const row = rows(page).filter({ hasText: name });
  await expect(row).toContainText('Canceling');
  await expect(rows(page).filter({ hasText: 'Larkfield Family Medicine' })).toHaveCount(0);
  const clear = /\/api\/organizations\/[^/]+\/clearcancel$/;
  await refuse(page, 'POST', clear, 500);
  await act(page, name, 'Clear Cancellation');
  const box = dialog(page, 'Clear Cancellation');
  await expect(box).toContainText(name);
  await box.getByRole('button', { name: 'Clear', exact: true }).click();
  await expect(toast(page, 'There was an error clearing the cancellation for this organization.')).toBeVisible();
  await page.unroute(clear);
  await box.getByRole('button', { name: 'Clear', exact: true }).click();
  await expect(toast(page, 'The cancellation was cleared successfully.')).toBeVisible();
  await expect(row).toHaveCount(0);
  await find(page, name);
  await page.getByRole('button', { name: `Actions for ${name}` }).click();
  await expect(page.getByRole('menuitem', { name: 'Clear Cancellation' })).toHaveCount(0);
});

test('API capture is shown, started and stopped (ADA-R-055, ADA-R-185, ADA-R-186, ADA-T-013, ADA-T-014, ADA-T-019, ADA-T-092, ADA-T-093)', async ({
  page,
  request,
}) => {
  const { name } = await organization(request);
  await find(page, name);
  const capture = await column(page, 'API capture');
  await expect(capture).toHaveText('–');
  const call = /\/api\/organizations\/[^/]+\/apicapture$/;
  await refuse(page, 'PUT', call, 500);
  await act(page, name, 'Start API Capture');
  await expect(toast(page, 'There was an error updating the organization API setting.')).toBeVisible();
  await page.unroute(call);
  await act(page, name, 'Start API Capture');
  await readToast(page, 'Organization API settings updated.');
  await expect(capture).toHaveText('Capturing');
  await act(page, name, 'Stop API Capture');
  await expect(capture).toHaveText('–');
});

test('a login that cannot be changed, and a sync, are told (ADA-R-012, ADA-T-009, ADA-T-091, ADA-T-094, ADA-T-095)', async ({
  page,
  request,
}) => {
  const { name } = await organization(request);
  await find(page, name);
  const login = /\/api\/organizations\/[^/]+\/enable$/;
  await refuse(page, 'PUT', login, 500);
  await act(page, name, 'Disable Login');
  await expect(toast(page, 'There was an error updating the organization login ability.')).toBeVisible();
  const sync = /\/api\/organizations\/[^/]+\/sync$/;
  await refuse(page, 'POST', sync, 500);
  await act(page, name, 'Sync with Intercom');
  await expect(toast(page, 'There was an error trying to sync organization with Intercom.')).toBeVisible();
  await page.unroute(sync);
  await act(page, name, 'Sync with Intercom');
  await expect(toast(page, 'Organization Intercom Sync has been initialized.')).toBeVisible();
});

test('an organization is activated and closed again through its dialog (ADA-S-019, ADA-R-008, ADA-R-068, ADA-R-177, ADA-R-178, ADA-R-179, ADA-R-181, ADA-R-182, ADA-T-011, ADA-T-034, ADA-T-096, ADA-T-097)', async ({
  page,
  request,
}) => {
  const { id, name } = await organization(request);
  await find(page, name);
  const call = new RegExp(`/api/organizations/${id}/activate$`);
  await refuse(page, 'PUT', call, 500);
  await act(page, name, 'Activation Status');
  const box = dialog(page, 'Activation Status');
  await expect(box).toContainText('before it is provisioned with the messaging provider');
  await expect(box).toContainText('Activating enables the functions of Intake and Release');
  await expect(box.getByText('Create default records address')).toBeHidden();
  await expect(box.getByRole('button', { name: 'Save' })).toBeDisabled();
  await box.getByRole('radio', { name: 'Activated', exact: true }).check();
  await expect(box.getByRole('checkbox', { name: 'Create default records address' })).toBeChecked();
  await expect(box.getByRole('checkbox', { name: /Send activation email/ })).not.toBeChecked();
  await box.getByRole('button', { name: 'Save' }).click();
  await expect(toast(page, 'There was an error updating the organization activation status.')).toBeVisible();
  await page.unroute(call);
  const asked = page.waitForRequest((r) => call.test(r.url()));
  await box.getByRole('button', { name: 'Save' }).click();
  expect((await asked).postDataJSON()).toEqual({ activated: true, sendEmail: false, seedRecords: true });
  await expect(toast(page, 'Organization Activation Status has been updated.')).toBeVisible();
  await expect(await column(page, 'Activation')).toHaveText('Activated');
  await act(page, name, 'Activation Status');
  await box.getByRole('radio', { name: 'Not Activated' }).check();
  await expect(box.getByRole('checkbox')).toHaveCount(0);
  await box.getByRole('button', { name: 'Save' }).click();
  await expect(await column(page, 'Activation')).toHaveText('Not Activated');
});

test('the administrators are told of the activation by e-mail when that is wanted, and nobody when there are none (ADA-R-180)', async ({
  page,
  request,
  browser,
}) => {
  const { name } = await organization(request);
  const box = dialog(page, 'Activation Status');
  const activate = async () => {
    await box.getByRole('radio', { name: 'Activated', exact: true }).check();
    await box.getByRole('checkbox', { name: /Send activation email/ }).check();
    await box.getByRole('button', { name: 'Save' }).click();
  };
  await find(page, name);
  await act(page, name, 'Activation Status');
  await activate();
  await expect(page.getByText('The organization has no administrator with an e-mail address who could be told.')).toBeVisible();

  const told = 'Summit Orthopedics';
  const ops = apiOf(request, 'ops');
  const { id } = (await ops.get<{ items: Named[] }>('/api/organizations?search=Summit&pageSize=10')).items.find((o) => o.name === told)!;
  const put = (activated: boolean) => ops.put(`/api/organizations/${id}/activate`, { activated, seedRecords: false });
  await put(false);
  try {
    await find(page, told);
    await act(page, told, 'Activation Status');
    await activate();
    await expect(toast(page, 'Organization Activation Status has been updated.')).toBeVisible();
  } finally {
    await put(true);
  }
  const visitor = await (await browser.newContext()).newPage();
  await visitor.goto('/account/login');
  await visitor.getByRole('link', { name: 'Mailbox of this demonstration' }).click();
  await visitor
    .getByRole('button', { name: /Summit Orthopedics is activated/ })
    .first()
    .click();
  const mail = visitor.getByRole('article', { name: `${told} is activated` });
  await expect(mail).toContainText('sam@carepost.example');
  await expect(visitor.frameLocator('iframe').getByText('summit-ortho.direct.carepost.example')).toBeVisible();
  await expect(mail.getByRole('link', { name: 'Sign in' })).toHaveAttribute('href', /\/account\/login$/);
  await visitor.context().close();
});

test('a deletion asks first, and says when it fails (ADA-S-021, ADA-R-007, ADA-R-068, ADA-T-008, ADA-T-036, ADA-T-100, ADA-T-101)', async ({
  page,
  request,
}) => {
  const { id, name } = await organization(request);
  await find(page, name);
  const call = new RegExp(`/api/organizations/${id}$`);
  await refuse(page, 'DELETE', call, 500);
  await act(page, name, 'Delete Organization');
  const box = dialog(page, 'Delete Organization');
  await expect(box).toContainText(name);
  await box.getByRole('button', { name: 'Delete' }).click();
  await expect(toast(page, 'There was an error deleting this organization.')).toBeVisible();
  await page.unroute(call);
  await box.getByRole('button', { name: 'Delete' }).click();
  await expect(toast(page, 'The organization was deleted successfully.')).toBeVisible();
  await expect(rows(page)).toHaveCount(0);
});

test('Create and Edit open on Details, with Primary Contact beside it; Cancel leads back (ADA-S-004, ADA-S-005, ADA-R-045, ADA-R-047, ADA-R-065, ADA-R-066, ADA-R-070, ADA-R-071, ADA-R-077, ADA-T-001, ADA-T-002, ADA-T-004, ADA-T-007, ADA-T-020, ADA-T-021, ADA-T-031, ADA-T-032)', async ({
  page,
  request,
}) => {
  const { id, name } = await organization(request);
  await page.goto('/admin/organizations');
  await page.getByRole('button', { name: 'Create' }).click();
  await expect(page).toHaveURL(/\/admin\/organizations\/add\/details$/);
  await expect(page.getByRole('heading', { level: 1, name: 'Add Organization' })).toBeVisible();
  expect(await page.getByRole('tab').allInnerTexts()).toEqual(['Details', 'Primary Contact']);
  await page.getByRole('button', { name: 'Cancel' }).click();
  await expect(page).toHaveURL(/\/admin\/organizations$/);
  await find(page, name);
  let loaded = false;
  await page.route(`**/api/organizations/${id}`, async (route) => {
    await expect(page.getByRole('heading', { level: 1, name })).toBeHidden();
    loaded = true;
    await route.continue();
  });
  await act(page, name, 'Edit');
  await expect(page).toHaveURL(new RegExp(`/admin/organizations/${id}/details$`));
  await expect(page.getByRole('heading', { level: 1, name })).toBeVisible();
  expect(loaded).toBe(true);
  await page.getByRole('tab', { name: 'Primary Contact' }).click();
  await expect(page).toHaveURL(/\/contact$/);
  await expect(field(page, 'Email')).toHaveValue('ines@quayside.example');
  await expect(page.getByRole('button', { name: 'Save Changes' })).toBeVisible();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await expect(page).toHaveURL(/\/admin\/organizations$/);
});

test('Details and Primary Contact hold every field, with their masks and limits (ADA-S-007, ADA-R-210, ADA-R-221, ADA-R-224, ADA-R-229, ADA-R-230, ADA-R-232, ADA-R-235, ADA-R-242)', async ({
  page,
}) => {
  await page.goto('/admin/organizations/add');
  for (const [name, limit] of [
    ['Name', '50'],
    ['Subdomain', '63'],
    ['Street', '255'],
    ['Unit', '255'],
    ['City', '255'],
    ['Zip', '10'],
    ['EMR', '255'],
  ] as const)
    await expect(field(page, name)).toHaveAttribute('maxlength', limit);
  for (const name of [
    'Type',
    'Specialty',
    'Brand',
    'State',
    'Plan',
    'Reseller',
    'Network',
    'HISP provider',
    'Activation status',
    'Features',
  ])
    await expect(page.getByRole('combobox', { name, exact: true })).toBeVisible();
  await expect(page.getByRole('textbox', { name: 'Number of users' })).toHaveAttribute('readonly', '');
  await field(page, 'Phone').fill('5550100155');
  await expect(field(page, 'Phone')).toHaveValue('(555) 010-0155');
  const npiOf15 = async (name: string) => {
    await field(page, name).fill('12a345');
    await expect(field(page, name)).toHaveValue('12345');
    await field(page, name).fill('80840 12345 67890 1');
    await expect(field(page, name)).toHaveValue('808401234567890');
  };
  await npiOf15('NPI');
  await page.getByRole('tab', { name: 'Primary Contact' }).click();
  for (const name of ['First name', 'Last name', 'Title', 'Email']) await expect(field(page, name)).toHaveAttribute('maxlength', '255');
  await npiOf15('Contact NPI');
});

test('what is wrong is told under its field (ADA-R-225, ADA-R-226, ADA-R-228, ADA-R-231, ADA-R-233, ADA-R-237, ADA-R-241, SES-S-069, SES-R-295)', async ({
  page,
}) => {
  await page.goto('/admin/organizations/add');
  const told = async (name: string, value: string, text: string) => {
    const input = field(page, name);
    await input.fill(value);
    await page.keyboard.press('Tab');
    const error = page.locator(`#${(await input.getAttribute('id'))!}-error`);
    await expect(error).toHaveText(text);
    await expect(input).toHaveAttribute('aria-invalid', 'true');
    // Red, and under the control.
    const red = await error.evaluate((e) => getComputedStyle(e).color.match(/\d+/g)!.map(Number));
    expect(red[0]).toBeGreaterThan(red[1]! + 60);
    expect((await error.boundingBox())!.y).toBeGreaterThan((await input.boundingBox())!.y);
  };
  const wrong = 'Please enter a valid value for this field.';
  await told('Name', 'Key*stone', 'Invalid characters in field: *');
  await told('Street', 'Quay', 'A space is required.');
  await told('Street', 'PO Box 7', 'Street address cannot be a P.O. Box');
  await told('NPI', '1234567890', wrong);
  await told('Phone', '8005550155', wrong);
  await page.getByRole('tab', { name: 'Primary Contact' }).click();
  await told('First name', 'I', wrong);
  await told('Email', 'ines', wrong);
});

test('the subdomain is looked at again before an organization is saved; a failed save is told (ADA-R-076, ADA-R-078, ADA-R-080, ADA-R-081, ADA-R-337, ADA-R-338, ADA-T-102, ADA-T-103)', async ({
  page,
  request,
}) => {
  const { id, name } = await organization(request);
  await page.goto(`/admin/organizations/${id}`);
  await field(page, 'Unit').fill('Suite 9');
  const save = new RegExp(`/api/organizations/${id}$`);
  await refuse(page, 'PUT', save, 500);
  await page.getByRole('button', { name: 'Save Changes' }).click();
  await expect(toast(page, 'There was an error saving this organization.')).toBeVisible();
  await expect(field(page, 'Unit')).toHaveValue('Suite 9');
  await page.unroute(save);
  const calls: string[] = [];
  page.on('request', (r) => {
    const url = new URL(r.url());
    if (url.pathname.startsWith('/api/organizations/')) calls.push(`${r.method()} ${url.pathname.split('/').at(-1)}${url.search}`);
  });
  await page.getByRole('button', { name: 'Save Changes' }).click();
  await expect(toast(page, 'The organization was saved successfully.')).toBeVisible();
  await expect(page).toHaveURL(/\/admin\/organizations$/);
  const subdomain = name.toLowerCase().replace(/\W+/g, '-');
  const put = calls.indexOf(`PUT ${id}`);
  expect(calls.slice(0, put).sort()).toEqual([
    `GET exists?id=${id}&subdomain=${subdomain}`,
    `GET isvalid?organizationId=${id}&subdomain=${subdomain}`,
  ]);
});

test('features, allowed purposes of use, and who made and changed the entry (ADA-S-006)', async ({ page, request }) => {
  const { id } = await organization(request);
  await page.goto(`/admin/organizations/${id}`);
  await page.getByRole('combobox', { name: 'Features' }).click();
  await page.getByRole('option', { name: 'IntakeCdaViewer' }).click();
  await page.keyboard.press('Escape');
  await page.getByRole('combobox', { name: 'Allowed purposes of use' }).fill('TREAT');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Save Changes' }).click();
  await expect(toast(page, 'The organization was saved successfully.')).toBeVisible();
  const saved = await apiOf(request, 'ops').get<Record<string, string[]>>(`/api/organizations/${id}`);
  expect(saved.enabledFeatures).toEqual(['IntakeCdaViewer']);
  expect(saved.allowedPurposeOfUseCodes).toEqual(['TREAT']);
  await page.goto(`/admin/organizations/${id}`);
  for (const term of ['Created by', 'Create date', 'Modified by', 'Modified date'])
    await expect(page.getByRole('term').filter({ hasText: term })).toBeVisible();
});

test('removing a licensing reseller warns and leads to the free plan (ADA-R-187, ADA-R-189, ADA-R-191, ADA-T-106, ADA-T-108)', async ({
  page,
  request,
}) => {
  const resellers = await apiOf(request, 'ops').get<{ items: (Named & { type: string })[] }>('/api/organizations/resellers');
  const licensing = resellers.items.find((r) => r.type === 'Licensing')!;
  const plans = await apiOf(request, 'ops').get<{ items: { id: string | null; name: string }[] }>(
    `/api/organizations/plans?resellerId=${licensing.id}`,
  );
  const plan = plans.items.find((p) => p.id)!;
  const { id } = await organization(request, { resellerId: licensing.id, planId: plan.id });
  await page.goto(`/admin/organizations/${id}`);
  const reseller = page.getByRole('combobox', { name: 'Reseller' });
  await expect(reseller).toHaveValue(licensing.name);
  await reseller.fill('');
  await page.keyboard.press('Tab');
  await expect(page.getByText('Removing a Licensing Reseller will reset the organization to a Free Plan.')).toBeVisible();
  await expect(
    page.getByText(
      'The reseller has changed. You will need to ensure the subscription in a subscription billing service is updated to reflect this change.',
    ),
  ).toBeVisible();
  await expect(page.getByRole('combobox', { name: 'Plan' })).toHaveValue(/^Free/);
});

test('types and specialties are asked for once (ADA-R-328, ADA-R-329, ADA-R-330, ADB-R-246)', async ({ page }) => {
  const asked: string[] = [];
  page.on('request', (r) => {
    const url = new URL(r.url());
    if (/types$|specialties$|documentsourceproviders$/.test(url.pathname)) asked.push(`${url.pathname.split('/').at(-1)}${url.search}`);
  });
  await page.goto('/admin/organizations');
  for (let n = 0; n < 2; n++) {
    await page.getByRole('button', { name: 'Create' }).click();
    await pick(page, 'State', 'Ohio');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await expect(page).toHaveURL(/\/admin\/organizations$/);
  }
  expect(asked.sort()).toEqual(['documentsourceproviders?pageNumber=1&pageSize=20&type=DirectMessaging', 'specialties', 'types']);
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
    const bounds = (await list.boundingBox())!;
    expect(bounds.y).toBeGreaterThanOrEqual(0);
    expect(bounds.y + bounds.height).toBeLessThanOrEqual(height);
    expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBe(height);
    await state.press('ArrowUp');
    await expect(list.getByRole('option').last()).toBeInViewport({ ratio: 1 });
    await state.press('Escape');
    await expect(list).toBeHidden();
  }
});

test('the Direct addresses of all organizations are exported as one file (ADA-S-002, ADA-T-005, ADA-R-062)', async ({ page }) => {
  await page.goto('/admin/organizations');
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export Direct Addresses' }).click();
  const file = await download;
  expect(file.suggestedFilename()).toBe('direct-addresses.csv');
  expect(await readFile(await file.path(), 'utf8')).toContain('intake@summit-ortho.direct.carepost.example');
  await expect(page.getByText('The Direct addresses have been exported.')).toBeVisible();
});
