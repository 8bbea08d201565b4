import type { APIRequestContext, Page } from '@playwright/test';
import { apiOf, dialog, field, linkToken, pick, refuse, toast, unique } from './helpers';
import { authenticate, expect, OWN_PASSWORD, signIn, test } from './support';

const rows = (page: Page) => page.getByRole('table', { name: 'Users' }).locator('tbody tr[data-opens]');
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const newName = () => `${unique('rowan').replace(' ', '.')}@northgate.example`;

type Person = { id: string; userName: string; name: string };

/** Somebody of Northgate who has been invited. */
async function invite(request: APIRequestContext, over: object = {}): Promise<Person> {
  const ruth = apiOf(request, 'ruth');
  const jobs = (await ruth.get<{ items: { id: string; name: string }[] }>('/api/users/jobs')).items;
  const lastName = unique('Aldane').replace(' ', '-');
  const body = {
    userName: newName(),
    firstName: 'Rowan',
    lastName,
    roleName: 'User',
    jobFunctionId: jobs.find((j) => j.name === 'Nurse')!.id,
    ...over,
  };
  const { id, userName } = await ruth.post<{ id: string; userName: string }>('/api/users', body);
  return { id, userName, name: `Rowan ${lastName}` };
}

async function find(page: Page, person: Person) {
  await page.goto('/account/users');
  await page.getByLabel('Search users').fill(person.userName);
  await expect(rows(page)).toHaveCount(1);
  await expect(rows(page).first()).toContainText(person.name);
}
async function act(page: Page, person: Person, item: string) {
  await button(page, `Actions for ${person.name}`).click();
  await page.getByRole('menuitem', { name: item, exact: true }).click();
}
const confirm = (page: Page, title: string, label: string) => dialog(page, title).getByRole('button', { name: label, exact: true }).click();

/** Chooses the first password by the newest e-mail to an address. */
async function accept(page: Page, person: Person) {
  const mail = page.getByRole('navigation', { name: 'E-mails' }).getByRole('button', { name: new RegExp(person.userName) });
  await expect(async () => {
    await page.goto('/demo/mailbox');
    await expect(mail.first()).toBeVisible({ timeout: 2000 });
  }).toPass();
  await mail.first().click();
  const link = page.getByRole('link', { name: 'Choose a password' });
  await expect(link.first()).toBeVisible();
  await page.goto((await link.first().getAttribute('href'))!);
  for (const label of ['New password', 'New password again'])
    await page.getByRole('textbox', { name: label, exact: true }).fill(OWN_PASSWORD);
  await button(page, 'Set the password').click();
  await expect(page).toHaveURL(/account\/login/);
}
/** The same without a browser, by the link that was sent after an earlier one. */
async function acceptInvitation(request: APIRequestContext, person: Person, earlier: string) {
  let token = earlier;
  await expect.poll(async () => (token = await linkToken(request, person.userName)), { timeout: 20_000 }).not.toBe(earlier);
  expect((await request.post('/api/account/password/set', { data: { token, password: OWN_PASSWORD } })).ok()).toBe(true);
}
/** Somebody who has accepted asks for codes by e-mail. */
async function secondStep(request: APIRequestContext, person: Person) {
  const answer = await request.post('/api/account/login', { data: { userName: person.userName, password: OWN_PASSWORD } });
  const { accessToken } = (await answer.json()) as { accessToken: string };
  const headers = { Authorization: `Bearer ${accessToken}` };
  const set = await request.put('/api/account/secondfactor/email', { headers, data: { password: OWN_PASSWORD, on: true } });
  expect(set.ok()).toBe(true);
}
async function enter(page: Page, person: Person) {
  await page.goto('/account/login');
  await page.getByLabel('Username').fill(person.userName);
  await page.getByRole('textbox', { name: 'Password' }).fill(OWN_PASSWORD);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

test('a username is not valid, taken or available, and the rest of the form says what it needs (SES-S-062, SES-R-281, SES-R-282, SES-R-283, SES-R-326, SES-T-071, SES-T-072, SES-T-073, SES-C-014, SES-C-021, MSG-R-353, MSG-R-354, MSG-S-073, MSG-T-078, MSG-T-079, MSG-T-080)', async ({
  page,
}) => {
  await signIn(page, 'ruth');
  await page.getByRole('link', { name: 'Users', exact: true }).click();
  await button(page, 'Add User').click();
  await button(page, 'Send Invitation').click();
  for (const text of ['Username is not valid', 'First Name is required.', 'Last Name is required.', 'Primary job function is required.'])
    await expect(page.getByText(text)).toBeVisible();
  const username = field(page, 'Username');
  await expect(username).toBeFocused();
  const request = page.waitForRequest((r) => r.method() === 'POST' && new URL(r.url()).pathname === '/api/users/find');
  await username.fill('RUTH@carepost.example');
  expect(new URL((await request).url()).searchParams.get('username')).toBe('RUTH@carepost.example');
  await expect(page.getByText('Username already exists')).toBeVisible();
  await username.fill(newName());
  await expect(page.getByText('Username is available')).toBeVisible();
  await username.fill('rowan');
  await expect(page.getByText('Username is not valid')).toBeVisible();
  await button(page, 'Cancel').click();
  await confirm(page, 'Leave without saving?', 'Keep editing');
  await expect(username).toHaveValue('rowan');
  await button(page, 'Cancel').click();
  await confirm(page, 'Leave without saving?', 'Leave');
  await expect(page).toHaveURL(/account\/users$/);
});

test('somebody is invited, chooses a password, and works with the addresses that they were given (SES-C-012, SES-C-026, SES-C-027, SES-R-335, ADA-T-129)', async ({
  page,
  browser,
}) => {
  await signIn(page, 'ruth', '/account/users/add');
  const person = { id: '', userName: newName(), name: '' };
  const lastName = unique('Aldane').replace(' ', '-');
  await field(page, 'Username').fill(person.userName);
  await field(page, 'First name').fill('Rowan');
  await field(page, 'Last name').fill(lastName);
  await pick(page, 'Primary job function', 'Nurse');
  await button(page, 'Send Invitation').click();
  await expect(toast(page, 'The user was saved successfully.')).toBeVisible();
  await expect(page.getByRole('heading', { level: 1, name: `Rowan ${lastName}` })).toBeVisible();
  await expect(page.locator('.cp-chip', { hasText: 'Invited' })).toBeVisible();
  const save = button(page, 'Save Addresses');
  await expect(save).toBeDisabled();
  await page.getByRole('checkbox', { name: /^him@northgate/ }).check();
  const sent = page.waitForRequest((r) => r.method() === 'PUT' && r.url().endsWith('/documentsources'));
  await save.click();
  expect(Object.keys(((await sent).postDataJSON() as object[])[0]!).sort()).toEqual(['documentSourceId', 'organizationId']);
  await expect(toast(page, 'The addresses were saved.')).toBeVisible();
  await expect(save).toBeDisabled();

  const other = await (await browser.newContext()).newPage();
  await accept(other, person);
  await enter(other, person);
  await expect(other).toHaveURL(/\/intake$/);
  await expect(other.getByRole('link', { name: 'Users' })).toHaveCount(0);
  await other.goto('/account/users');
  await expect(other).toHaveURL(/\/unauthorized$/);
  await other.goto('/release/new');
  await expect(other.getByText('him@northgate.direct.carepost.example').first()).toBeAttached();
  await other.context().close();
});

test('somebody who is disabled is out at once, and comes back when enabled (SES-C-020, SES-R-328, ADA-T-058, ADA-T-125, ADA-T-126, ADA-T-127, ADA-T-128)', async ({
  page,
  request,
  browser,
}) => {
  const person = await invite(request);
  const other = await (await browser.newContext()).newPage();
  await accept(other, person);
  await enter(other, person);
  await expect(other).toHaveURL(/\/intake$/);

  await authenticate(page, 'ruth');
  await find(page, person);
  const enable = /\/api\/users\/[^/]+\/enable/;
  await refuse(page, 'POST', enable, 500);
  await act(page, person, 'Disable');
  await confirm(page, 'Disable User', 'Disable');
  await expect(toast(page, 'There was an error disabling user')).toBeVisible();
  await page.unroute(enable);
  await act(page, person, 'Disable');
  const sent = page.waitForRequest((r) => enable.test(r.url()));
  await confirm(page, 'Disable User', 'Disable');
  expect(new URL((await sent).url()).searchParams.get('enable')).toBe('false');
  await expect(toast(page, 'User has been disable.')).toBeVisible();
  await expect(rows(page).first()).toContainText('Disabled');
  await expect(other).toHaveURL(/\/account\/login$/);
  await enter(other, person);
  await expect(other.getByText('This account belongs to no organization that is open.')).toBeVisible();

  await refuse(page, 'POST', enable, 500);
  await act(page, person, 'Enable');
  await confirm(page, 'Enable User', 'Enable');
  await expect(toast(page, 'There was an error enabling user')).toBeVisible();
  await page.unroute(enable);
  await act(page, person, 'Enable');
  await confirm(page, 'Enable User', 'Enable');
  await expect(toast(page, 'User has been enabled.')).toBeVisible();
  await expect(rows(page).first()).toContainText('Active');
  await enter(other, person);
  await expect(other).toHaveURL(/\/intake$/);
  await other.context().close();
});

test('an invitation, a password and a second step are sent or reset from the list (SES-C-016, SES-C-017, SES-C-019, SES-R-327, ADA-T-131, ADA-T-132, ADA-T-134, ADA-T-135, ADA-T-136, ADA-T-137)', async ({
  page,
  request,
}) => {
  const person = await invite(request);
  await authenticate(page, 'ruth');
  await find(page, person);
  const resend = /\/api\/users\/resendinvitation$/;
  await refuse(page, 'POST', resend, 500);
  await act(page, person, 'Resend Invitation');
  await confirm(page, 'Resend Invitation', 'Send');
  await expect(toast(page, 'Failed to resend invitation')).toBeVisible();
  await page.unroute(resend);
  const earlier = await linkToken(request, person.userName);
  await act(page, person, 'Resend Invitation');
  await confirm(page, 'Resend Invitation', 'Send');
  await expect(toast(page, 'Invitation sent')).toBeVisible();

  await acceptInvitation(request, person, earlier);
  await secondStep(request, person);
  await find(page, person);
  await expect(rows(page).first()).toContainText('Set up');
  const reset = /\/api\/users\/resetpassword$/;
  await refuse(page, 'POST', reset, 500);
  await act(page, person, 'Reset Password');
  await confirm(page, 'Reset Password', 'Send');
  await expect(toast(page, 'Failed to send password reset')).toBeVisible();
  await page.unroute(reset);
  await act(page, person, 'Reset Password');
  await confirm(page, 'Reset Password', 'Send');
  await expect(toast(page, 'Password reset request sent')).toBeVisible();
  const authenticators = /\/authenticators$/;
  await refuse(page, 'DELETE', authenticators, 500);
  await act(page, person, 'Reset Second Step');
  await confirm(page, 'Reset Second Step', 'Reset');
  await expect(toast(page, 'Could not disable two-factor for user.')).toBeVisible();
  await page.unroute(authenticators);
  await act(page, person, 'Reset Second Step');
  await confirm(page, 'Reset Second Step', 'Reset');
  await expect(toast(page, 'Two-factor disabled for user.')).toBeVisible();
});

test('the list is searched, filtered and sorted, and a search begins on page 1 (SES-C-010, SES-R-324, SES-R-325)', async ({
  page,
  request,
}) => {
  const person = await invite(request);
  // A second page.
  for (let n = 0; n < 10; n++) await invite(request);
  const requests: URLSearchParams[] = [];
  page.on('request', (r) => {
    const url = new URL(r.url());
    if (url.pathname === '/api/users') requests.push(url.searchParams);
  });
  await signIn(page, 'ruth');
  await page.goto('/account/users?page=2&size=10');
  await expect.poll(() => requests.at(-1)?.get('page')).toBe('2');
  await expect(rows(page).first()).toBeVisible();
  await page.getByLabel('Search users').fill(person.userName);
  await expect(rows(page)).toHaveCount(1);
  expect(requests.at(-1)!.get('page')).toBe('1');
  expect(JSON.parse(requests.at(-1)!.get('sort')!)).toEqual({ by: 'name', dir: 'asc' });
  await page.getByLabel('Search users').fill('');
  await page.getByRole('button', { name: 'Username' }).click();
  await expect.poll(() => JSON.parse(requests.at(-1)!.get('sort')!) as object).toEqual({ by: 'userName', dir: 'asc' });
  await page.getByRole('button', { name: 'Username' }).click();
  await expect.poll(() => JSON.parse(requests.at(-1)!.get('sort')!) as object).toEqual({ by: 'userName', dir: 'desc' });
  await page.getByText('Invited', { exact: true }).first().click();
  await expect.poll(() => requests.at(-1)!.get('status')).toBe('Invited');
  await page.getByLabel('Search users').fill(person.userName);
  await pick(page, 'Role', 'Administrator');
  await expect(page.getByRole('heading', { name: 'No user matches' })).toBeVisible();
  await button(page, 'Show all').click();
  await expect(rows(page).first()).toBeVisible();
});

test('the page of a user saves, says what others changed meanwhile, and shows the activity (SES-C-011, SES-C-013, SES-C-023, SES-R-331, SES-R-332, ADA-T-133)', async ({
  page,
  request,
}) => {
  const person = await invite(request);
  const ruth = apiOf(request, 'ruth');
  await signIn(page, 'ruth', `/account/users/${person.id}`);
  await field(page, 'First name').fill('Rowena');
  await pick(page, 'Role', 'Administrator');
  await button(page, 'Save Changes').click();
  await expect(toast(page, 'User successfully updated.')).toBeVisible();
  await expect(page.getByRole('heading', { level: 1, name: /^Rowena/ })).toBeVisible();
  await expect(page.getByText('Nothing yet.').first()).toBeVisible();

  const latest = await ruth.get<object>(`/api/users/${person.id}`);
  await ruth.put(`/api/users/${person.id}`, { ...latest, phoneNumber: '5550100123' });
  await field(page, 'First name').fill('Rowan');
  await button(page, 'Save Changes').click();
  await expect(page.getByText('This user has changed.')).toBeVisible();
  await button(page, 'Load their version').click();
  await expect(field(page, 'First name')).toHaveValue('Rowena');
  await expect(field(page, 'Phone')).toHaveValue('(555) 010-0123');
  await field(page, 'First name').fill('Rowan');
  await page.keyboard.press('Control+Enter');
  await expect(toast(page, 'User successfully updated.')).toBeVisible();

  const own = (await ruth.get<{ userId: string }>('/api/users/profiledata')).userId;
  const events = page.waitForRequest((r) => new URL(r.url()).pathname === `/api/users/${own}/events`);
  await page.goto(`/account/users/${own}`);
  expect(new URL((await events).url()).searchParams.get('pageStart')).toBe('1');
  const activity = page.getByRole('table', { name: 'Activity' });
  await expect(activity.getByText('Changed').first()).toBeVisible();
  await expect(page.getByRole('combobox', { name: 'Role' })).toBeDisabled();
  await expect(button(page, 'Disable')).toHaveCount(0);
});
