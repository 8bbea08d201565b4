import { type APIRequestContext, type Page, request as http } from '@playwright/test';
import { apiOf } from './helpers';
import { account, authenticate, expect, isolated, PASSWORD, signIn, test } from './support';

const stamp = () => Date.now().toString(36);
const dialog = (page: Page, name: string) => page.getByRole('dialog', { name });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const rows = (page: Page, list: string) => page.getByRole('table', { name: list }).locator('tbody tr');
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true });
const shows = (page: Page, text: string) => expect(page.getByText(text).first()).toBeVisible();
const idIn = (page: Page) => /networks\/([0-9a-f-]{36})/.exec(page.url())![1]!;

/** Calls without a browser: by a token, or by nobody. */
const caller = (baseURL: string, token?: string) =>
  http.newContext({ baseURL, extraHTTPHeaders: token ? { Authorization: `Bearer ${token}` } : {} });
async function operator(baseURL: string): Promise<APIRequestContext> {
  const nobody = await caller(baseURL);
  const answer = await nobody.post('/api/account/login', { data: { userName: account('ops'), password: PASSWORD } });
  return caller(baseURL, ((await answer.json()) as { accessToken: string }).accessToken);
}
const made: string[] = [];
async function createByHand(page: Page, name: string) {
  await page.goto('/admin/networks');
  await button(page, 'Create').click();
  await dialog(page, 'New Network').getByLabel('Name').fill(name);
  await dialog(page, 'New Network').getByRole('button', { name: 'Create' }).click();
  await expect(page).toHaveURL(/\/networks\/[0-9a-f-]{36}\/details$/);
  await expect(heading(page, name)).toBeVisible();
  made.push(idIn(page));
  return idIn(page);
}
/** A network of its own, in view. */
async function create(request: APIRequestContext, page: Page, name: string) {
  const { id } = await apiOf(request, 'ops').post<{ id: string }>('/api/networks', { name });
  made.push(id);
  await page.goto(`/networks/${id}/details`);
  await expect(heading(page, name)).toBeVisible();
  return id;
}
/** What a test made goes again, whether it held or not. */
test.afterEach(async ({ baseURL }) => {
  const ops = await operator(baseURL!);
  for (const id of made.splice(0)) {
    const members = await ops.get(`/api/admin/networks/${id}/organizations`);
    if (!members.ok()) continue;
    for (const o of ((await members.json()) as { items: { id: string }[] }).items)
      await ops.delete(`/api/admin/networks/${id}/organizations/${o.id}`);
    await ops.delete(`/api/networks/${id}`);
  }
  await ops.dispose();
});
const fromMenu = async (page: Page, name: string, item: string) => {
  await button(page, `Actions for ${name}`).click();
  await page.getByRole('menuitem', { name: item }).click();
};

test('a system administrator creates, finds, renames and deletes a network (SES-C-054, SES-C-055, SES-C-056, SES-C-057, SES-C-058, SES-R-358)', async ({
  page,
}) => {
  await authenticate(page, 'ops');
  const name = `Cascade ${stamp()}`;
  await createByHand(page, name);
  // A name that is taken is told under the field.
  const field = page.getByRole('textbox', { name: 'Name' });
  await field.fill('Meridian Exchange');
  await button(page, 'Save Changes').click();
  await shows(page, 'Another network has this name. Please enter a different one.');
  await field.fill('ab');
  await button(page, 'Save Changes').click();
  await shows(page, 'Please enter a name of 3 to 100 characters.');
  await field.fill(`${name} renamed`);
  await button(page, 'Save Changes').click();
  await shows(page, 'The network was saved.');
  await expect(heading(page, `${name} renamed`)).toBeVisible();
  await button(page, 'Back to Networks').click();
  // Searching begins at the first page again.
  await page.goto('/admin/networks?page=9');
  const request = page.waitForRequest((r) => r.url().includes('/api/networks?') && r.url().includes('search='));
  await page.getByLabel('Search networks').fill(name);
  expect(new URL((await request).url()).searchParams.get('page')).toBe('1');
  await expect(rows(page, 'Networks')).toHaveCount(1);
  await fromMenu(page, `${name} renamed`, 'Delete Network');
  await expect(dialog(page, 'Delete Network')).toContainText(`${name} renamed`);
  await button(page, 'Delete').click();
  await shows(page, 'The network was deleted.');
  await expect(page.getByRole('heading', { name: 'No network matches' })).toBeVisible();
});

test('what is typed survives a reload, and a change by somebody else is not written over', async ({ page, request, baseURL }) => {
  await signIn(page, 'ops');
  const name = `Cascade ${stamp()}`;
  const id = await create(request, page, name);
  const field = page.getByRole('textbox', { name: 'Name' });
  await field.fill(`${name} mine`);
  await page.reload();
  await expect(field).toHaveValue(`${name} mine`);
  const ops = await operator(baseURL!);
  expect((await ops.put(`/api/networks/${id}`, { data: { name: `${name} theirs`, version: 1 } })).ok()).toBe(true);
  await button(page, 'Save Changes').click();
  await shows(page, 'This network has changed.');
  await button(page, 'Load their version').click();
  await expect(field).toHaveValue(`${name} theirs`);
  await ops.dispose();
});

test('an organization is chosen by its name, is in one network, and leaves it again (SES-C-060, SES-C-061, SES-C-062, SES-C-063, SES-R-362)', async ({
  page,
  request,
}) => {
  await authenticate(page, 'ops');
  const name = `Cascade ${stamp()}`;
  await create(request, page, name);
  await page.getByRole('tab', { name: 'Organizations' }).click();
  await expect(page.getByRole('heading', { name: 'No organizations yet' })).toBeVisible();
  const opened = dialog(page, 'Add an Organization');
  const field = opened.getByRole('combobox', { name: 'Organization' });
  const add = opened.getByRole('button', { name: 'Add' });
  await button(page, 'Add organization').first().click();
  await add.click();
  await shows(page, 'Please choose an organization from the list.');
  // One of another network.
  await field.fill('Larkfield F');
  await page.getByRole('option', { name: /^Larkfield Family Medicine/ }).click();
  await add.click();
  await shows(page, 'This organization is in the network Meridian Exchange already. Please remove it there first.');
  // Enter takes the first match.
  await field.fill('Fernhill');
  await expect(page.getByRole('option', { name: /^Fernhill/ })).toBeVisible();
  await field.press('Enter');
  await expect(field).toHaveValue(/^Fernhill Family Practice/);
  await add.click();
  await shows(page, 'The organization was added to the network.');
  await expect(rows(page, 'Organizations')).toHaveCount(1);
  // A network with organizations stays.
  await page.goto(`/admin/networks?search=${encodeURIComponent(name)}`);
  await fromMenu(page, name, 'Delete Network');
  await button(page, 'Delete').click();
  await shows(page, 'This network still has organizations. Please remove them from the network before you delete it.');
  await page.goto(`/networks/${made.at(-1)}/organizations`);
  await page.getByLabel('Search organizations').fill('zzqx');
  await expect(page.getByRole('heading', { name: 'No organization matches' })).toBeVisible();
  await button(page, 'Show all').click();
  await fromMenu(page, 'Fernhill Family Practice', 'Remove from the network');
  await expect(dialog(page, 'Remove Organization')).toContainText('Fernhill Family Practice');
  await button(page, 'Remove').click();
  await shows(page, 'The organization was removed from the network.');
  await expect(page.getByRole('heading', { name: 'No organizations yet' })).toBeVisible();
});

test('somebody becomes an administrator by username, and is out again (SES-C-064, SES-C-065, SES-C-066, SES-R-362)', async ({
  page,
  request,
  browser,
  baseURL,
}) => {
  await signIn(page, 'ops');
  const id = await create(request, page, `Cascade ${stamp()}`);
  await page.getByRole('tab', { name: 'Administrators' }).click();
  await expect(page.getByRole('heading', { name: 'No administrators yet' })).toBeVisible();
  await button(page, 'Add administrator').first().click();
  const opened = dialog(page, 'Add an Administrator');
  const field = opened.getByLabel('Username or e-mail address');
  const add = opened.getByRole('button', { name: 'Add' });
  for (const [named, text] of [
    ['', 'Please enter a username or an e-mail address.'],
    ['nobody@carepost.example', 'Nobody has this username or e-mail address.'],
    [account('mara'), 'This person is an administrator of another network. Nobody can be one of two.'],
  ] as const) {
    await field.fill(named);
    await add.click();
    await expect(opened.getByText(text)).toBeVisible();
  }
  await field.fill(account('colin').toUpperCase());
  await field.press('Enter');
  await shows(page, 'Colin Marsh is an administrator of the network now.');
  const theirs = await browser.newPage({ baseURL });
  await signIn(theirs, 'colin');
  await theirs.goto(`/networks/${id}`);
  await expect(theirs).toHaveURL(/\/details$/);
  await expect(theirs.getByRole('tab', { name: 'Service Account' })).toBeVisible();
  await fromMenu(page, account('colin'), 'Remove from the network');
  await expect(dialog(page, 'Remove Administrator')).toContainText('Colin Marsh');
  await button(page, 'Remove').click();
  await shows(page, 'The administrator was removed.');
  await theirs.goto(`/networks/${id}`);
  await expect(theirs).toHaveURL(/account\/login/);
  await theirs.close();
});

test('a network administrator lands on their network and sees its nested features, but no other network (SES-C-059, SES-S-071, SES-R-307, SES-R-308, SES-R-309)', async ({
  page,
  baseURL,
}) => {
  const asked: string[] = [];
  page.on('request', (r) => r.url().endsWith('/features') && r.url().includes('/api/networks/') && asked.push(r.url()));
  await signIn(page, 'mara');
  await expect(page).toHaveURL(/\/networks\/[0-9a-f-]{36}\/details$/);
  await expect(heading(page, 'Meridian Exchange')).toBeVisible();
  await expect(page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Network' })).toHaveAttribute(
    'aria-current',
    'page',
  );
  // A child feature is what is required here.
  await expect(page.getByRole('region', { name: 'Single sign-on' })).toContainText('PointClickCareIdentityProvider');
  await page.getByRole('tab', { name: 'Features' }).click();
  await expect(page.getByRole('list', { name: 'Within SingleSignOn' })).toContainText('PointClickCareIdentityProvider');
  await expect(page.getByRole('list', { name: 'Within SharedDirectory' })).toContainText('Off');
  await page.getByRole('tab', { name: 'Details' }).click();
  await expect(page.getByRole('region', { name: 'Single sign-on' })).toBeVisible();
  expect(asked).toHaveLength(1);
  await page.getByRole('tab', { name: 'Organizations' }).click();
  await expect(rows(page, 'Organizations').first()).toBeVisible();
  await expect(button(page, 'Add organization')).toHaveCount(0);
  await expect(page.getByRole('button', { name: /^Actions for/ })).toHaveCount(0);
  await page.goto('/admin/networks');
  await expect(page).toHaveURL(/unauthorized/);
  const ops = await operator(baseURL!);
  const others = (await (await ops.get('/api/networks?search=Quarry')).json()) as { items: { id: string }[] };
  await page.goto(`/networks/${others.items[0]!.id}/details`);
  await expect(page.getByRole('heading', { name: 'The network could not be loaded' })).toBeVisible();
  await ops.dispose();
});

isolated(
  'a service account is created, restricted to its addresses, disabled, renewed and deleted (SES-C-067, SES-C-068, SES-C-069, SES-C-070, SES-C-071, SES-C-072, SES-R-360, SES-R-361)',
  async ({ page, request, baseURL, context }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await signIn(page, 'ops');
    const id = await create(request, page, `Cascade ${stamp()}`);
    await page.getByRole('tab', { name: 'Service Account' }).click();
    const shown = async () => {
      const opened = dialog(page, 'Token of the service account');
      await expect(opened).toBeVisible();
      // It does not go by accident.
      await page.keyboard.press('Escape');
      const token = await opened.locator('[data-secret]').innerText();
      await opened.getByRole('button', { name: 'Copy' }).click();
      await shows(page, 'The token is in the clipboard.');
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(token);
      await button(page, 'I have kept it').click();
      await expect(page.getByText(token)).toHaveCount(0);
      return token;
    };
    const status = async (token: string) => {
      const system = await caller(baseURL!, token);
      const answer = await system.get(`/api/networks/${id}`);
      await system.dispose();
      return answer.status();
    };
    const put = page.waitForRequest((r) => r.method() === 'PUT' && r.url().endsWith('/serviceaccounts'));
    await button(page, 'Create service account').click();
    expect((await put).postData()).toBeNull();
    const first = await shown();
    await shows(page, 'No address is allowed yet, so every call is refused.');
    expect(await status(first)).toBe(403);
    const addresses = page.getByRole('combobox', { name: 'Addresses' });
    await addresses.pressSequentially('somewhere,');
    await button(page, 'Save addresses').click();
    await shows(page, 'somewhere is no address and no network.');
    await addresses.press('Backspace');
    await addresses.pressSequentially('127.0.0.0/8, 2001:db8::/32,');
    const list = page.waitForRequest((r) => new URL(r.url()).pathname.endsWith('/ipaddresses'));
    await button(page, 'Save addresses').click();
    expect((await list).postDataJSON()).toEqual(['127.0.0.0/8', '2001:db8::/32']);
    await shows(page, 'The allowed addresses were saved.');
    expect(await status(first)).toBe(200);
    await page.reload();
    await expect(page.getByRole('region', { name: 'Account' })).toContainText('from 127.0.0.1');
    await button(page, 'Disable').click();
    await dialog(page, 'Disable Service Account').getByRole('button', { name: 'Disable' }).click();
    await shows(page, 'The service account is disabled.');
    expect(await status(first)).toBe(401);
    await button(page, 'Enable').click();
    await shows(page, 'The service account is enabled.');
    expect(await status(first)).toBe(200);
    await button(page, 'New token').click();
    await button(page, 'Make a new token').click();
    const second = await shown();
    expect([await status(first), await status(second)]).toEqual([401, 200]);
    await button(page, 'Delete').click();
    await dialog(page, 'Delete Service Account').getByRole('button', { name: 'Delete' }).click();
    await shows(page, 'The service account was deleted.');
    await expect(page.getByRole('heading', { name: 'No service account' })).toBeVisible();
    expect(await status(second)).toBe(401);
  },
);

test('an error counts as no service account, but offers nothing that would end a token (SES-R-359)', async ({ page, request }) => {
  await authenticate(page, 'ops');
  const id = await create(request, page, `Cascade ${stamp()}`);
  await page.route('**/serviceaccounts', (route) => route.fulfill({ status: 500, json: { title: 'Internal error' } }));
  await page.goto(`/networks/${id}/serviceaccount`);
  await expect(page.getByRole('heading', { name: 'No service account' })).toBeVisible();
  await expect(button(page, 'Create service account')).toHaveCount(0);
  await page.unrouteAll();
  await button(page, 'Try again').click();
  await expect(button(page, 'Create service account')).toBeVisible();
});

test('an overview that could not be loaded says so in its place, and is asked for again', async ({ page, request }) => {
  await signIn(page, 'ops');
  const id = await create(request, page, `Glacier ${stamp()}`);
  const overview = `**/api/admin/networks/${id}`;
  await page.route(overview, (route) => route.fulfill({ status: 500, json: { title: 'Internal error' } }));
  await page.reload();
  await shows(page, 'The overview could not be loaded');
  await expect(page.getByRole('term')).toHaveCount(0);
  await page.unroute(overview);
  await button(page, 'Try again').click();
  await expect(page.getByRole('term')).toHaveText(['Organizations', 'Administrators', 'Service account', 'Created']);
});
