import type { Page } from '@playwright/test';
import { dialog, field, pdf, pick, toast, toggle, unique } from './helpers';
import { practice } from './practice';
import { expect, OWN_PASSWORD, signIn, test } from './support';

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const row = (page: Page, userName: string) => page.getByRole('row').filter({ hasText: userName });
const newName = () => `${unique('rowan').replace(' ', '.')}@northgate.example`;

async function act(page: Page, userName: string, item: string) {
  await button(page, `Actions for ${userName}`).click();
  await page.getByRole('menuitem', { name: item, exact: true }).click();
}
const confirm = (page: Page, title: string, label: string) => dialog(page, title).getByRole('button', { name: label, exact: true }).click();

test('an operator creates a user of an organization, disables and deletes them (ADA-S-038, ADA-S-039, ADA-S-040, ADA-R-133, ADA-R-142, ADA-R-144, ADA-R-145, ADA-R-146, ADA-R-261, ADA-R-263, ADA-R-264, ADA-R-267, ADA-T-125, ADA-T-126, ADA-T-129)', async ({
  page,
}) => {
  const userName = newName();
  await signIn(page, 'ops', '/admin/users');
  await button(page, 'Create').click();
  const form = dialog(page, 'New user');
  await form.getByRole('button', { name: 'Create' }).click();
  await expect(form.getByText('Type is required.')).toBeVisible();
  await pick(page, 'Type', 'User of an organization');
  await field(page, 'Username').fill(userName);
  await field(page, 'First name').fill('Rowan');
  await field(page, 'Last name').fill('Aldane');
  await form.getByRole('combobox', { name: 'Organization' }).fill('northg');
  await page.getByRole('option', { name: /^Northgate/ }).click();
  await pick(page, 'Role', 'User');
  await pick(page, 'Primary job function', 'Nurse');
  await form.getByRole('checkbox', { name: /^Send an e-mail/ }).uncheck();
  await field(page, 'Password').fill(OWN_PASSWORD);
  await field(page, 'Confirm password').fill('something else');
  await form.getByRole('button', { name: 'Create' }).click();
  await expect(form.getByText('The passwords do not match.')).toBeVisible();
  await field(page, 'Confirm password').fill(OWN_PASSWORD);
  await form.getByRole('button', { name: 'Create' }).click();
  await expect(toast(page, 'The user was saved successfully.')).toBeVisible();

  await page.getByLabel('Search users').fill(userName);
  await expect(row(page, userName)).toContainText('Northgate');
  await act(page, userName, 'Disable');
  await confirm(page, 'Disable User', 'Disable');
  await expect(toast(page, 'User has been disable.')).toBeVisible();
  await expect(page.locator('tr[data-muted]')).toContainText(userName);
  await act(page, userName, 'Enable');
  await confirm(page, 'Enable User', 'Enable');
  await expect(toast(page, 'User has been enabled.')).toBeVisible();
  await act(page, userName, 'Delete');
  await confirm(page, 'Delete user', 'Delete');
  await expect(page.getByRole('heading', { name: 'No user matches' })).toBeVisible();
  await toggle(page.getByRole('switch', { name: 'Show deleted' }));
  await expect(row(page, userName)).toContainText('Deleted');

  await page.getByLabel('Search users').fill('rita');
  await expect(row(page, 'rita@')).toBeVisible();
  await page.getByRole('button', { name: /^Actions for rita/ }).click();
  for (const hidden of ['Organizations', 'ID Proofing', 'Reset Password', 'Sync with Intercom'])
    await expect(page.getByRole('menuitem', { name: hidden, exact: true })).toHaveCount(0);
  await expect(page.getByRole('menuitem', { name: 'Disable', exact: true })).toBeVisible();
});

test('an operator puts a user into a second organization and takes them out again (ADA-S-042, SES-R-337, SES-R-338, ADA-T-140, ADA-T-142)', async ({
  page,
}) => {
  await signIn(page, 'ops', '/admin/users?search=jo@');
  await act(page, 'jo@carepost.example', 'Organizations');
  const places = dialog(page, 'Organizations');
  await places.getByRole('combobox', { name: 'Organization' }).fill('granite');
  await page.getByRole('option', { name: /^Granite/ }).click();
  await pick(page, 'Role', 'User');
  await pick(page, 'Primary job function', 'Nurse');
  await places.getByRole('button', { name: 'Assign' }).click();
  await expect(toast(page, 'The user organization was saved successfully.')).toBeVisible();
  const may = places.getByRole('switch', { name: /^May open restricted documents of Granite/ });
  await expect(may).toBeChecked();
  await may.uncheck();
  await expect(may).not.toBeChecked();
  await expect(may).toHaveAttribute('aria-busy', 'false');
  await places.getByRole('button', { name: /^Remove from Granite/ }).click();
  await confirm(page, 'Remove from Organization', 'Remove');
  await expect(toast(page, 'User successfully removed from organization.')).toBeVisible();
  await expect(places.getByRole('button', { name: /^Remove from Granite/ })).toHaveCount(0);
});

test('a photo ID is looked at beside the person as described, and refused with a reason (SES-R-104, ADA-S-041, ADA-T-144)', async ({
  page,
  request,
}) => {
  const { name, userName } = await practice(request, 'terms');
  const login = await request.post('/api/account/login', { data: { userName, password: OWN_PASSWORD } });
  const { accessToken } = (await login.json()) as { accessToken: string };
  const headers = { Authorization: `Bearer ${accessToken}` };
  const currentAddress = { addressLine: '12 Birch Lane', city: 'Larkfield', state: 'OH', zip: '43999' };
  const data = { firstName: 'Fern', lastName: 'Hadley', dateOfBirth: '03/14/1975', currentAddress };
  expect((await request.post('/api/identityproofing', { headers, data })).ok()).toBe(true);
  const sent = await request.post('/api/identityproofing/document', { headers, multipart: { file: pdf('Licence.pdf') } });
  expect(sent.ok()).toBe(true);

  await signIn(page, 'ops', '/admin/proofing');
  await row(page, name).click();
  await expect(page.getByText('12 Birch Lane')).toBeVisible();
  await expect(page.getByText('03/14/1975')).toBeVisible();
  await expect(page.getByRole('img', { name: /^Page 1 of the ID/ })).toBeVisible();
  await button(page, 'Not Verified').click();
  await field(page, 'Reason').fill('The date of expiry cannot be read.');
  await confirm(page, 'Not Verified', 'Refuse');
  await expect(toast(page, 'Users Identity Proofing Status has been updated.')).toBeVisible();
  await expect(row(page, name)).toHaveCount(0);
  const standing = await request.get('/api/identityproofing/decision', { headers });
  expect(await standing.json()).toMatchObject({ documentRefused: true, refusalReason: 'The date of expiry cannot be read.' });
});
