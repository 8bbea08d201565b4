import type { APIRequestContext, Page } from '@playwright/test';
import { apiOf, dialog, field, pick, unique } from './helpers';
import { authenticate, expect, OWN_PASSWORD, signIn, test, told } from './support';

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
  for (const label of ['New password', 'Confirm new password'])
    await page.getByRole('textbox', { name: label, exact: true }).fill(OWN_PASSWORD);
  await button(page, 'Set the password').click();
  await expect(page).toHaveURL(/account\/login/);
}
async function enter(page: Page, person: Person) {
  await page.goto('/account/login');
  await page.getByLabel('Username').fill(person.userName);
  await page.getByRole('textbox', { name: 'Password' }).fill(OWN_PASSWORD);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

test('somebody is invited, chooses a password, and works with the addresses that they were given (SES-C-012, SES-C-026, SES-C-027)', {
  tag: '@critical',
}, async ({ page, browser }) => {
  await signIn(page, 'ruth', '/account/users/add');
  const person = { id: '', userName: newName(), name: '' };
  const lastName = unique('Aldane').replace(' ', '-');
  await field(page, 'Username').fill(person.userName);
  await field(page, 'First name').fill('Rowan');
  await field(page, 'Last name').fill(lastName);
  await pick(page, 'Primary job function', 'Nurse');
  await button(page, 'Send Invitation').click();
  await told(page, 'The user was saved successfully.');
  await expect(page.getByRole('heading', { level: 1, name: `Rowan ${lastName}` })).toBeVisible();
  await expect(page.locator('.cp-chip', { hasText: 'Invited' })).toBeVisible();
  const save = button(page, 'Save Addresses');
  await expect(save).toBeDisabled();
  await page.getByRole('checkbox', { name: /^him@northgate/ }).check();
  await save.click();
  await told(page, 'The addresses were saved.');
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

test('somebody who is disabled is out at once, and comes back when enabled (SES-C-020)', { tag: '@critical' }, async ({
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
  await act(page, person, 'Disable');
  await confirm(page, 'Disable User', 'Disable');
  await expect(rows(page).first()).toContainText('Disabled');
  await expect(other).toHaveURL(/\/account\/login$/);
  await enter(other, person);
  await expect(other.getByText('This account has no active organization.')).toBeVisible();

  await act(page, person, 'Enable');
  await confirm(page, 'Enable User', 'Enable');
  await expect(rows(page).first()).toContainText('Active');
  await enter(other, person);
  await expect(other).toHaveURL(/\/intake$/);
  await other.context().close();
});
