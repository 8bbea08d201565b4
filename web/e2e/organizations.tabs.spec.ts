import type { APIRequestContext, Page } from '@playwright/test';
import { apiOf, dialog, toast } from './helpers';
import { practice } from './practice';
import { expect, signIn, test } from './support';

/** An organization of the test's own, as an operator opens it. */
async function organization(request: APIRequestContext) {
  const { name, userName } = await practice(request, 'at work');
  const found = await apiOf(request, 'ops').get<{ items: { id: string }[] }>(`/api/organizations?search=${encodeURIComponent(name)}`);
  return { id: found.items[0]!.id, name, userName };
}
const section = (page: Page, name: string) => page.locator('form').filter({ has: page.getByRole('heading', { name, exact: true }) });
const save = (page: Page, name: string) => section(page, name).getByRole('button', { name: 'Save Changes' }).click();
const act = async (page: Page, name: string, item: string) => {
  await page.getByRole('button', { name: `Actions for ${name}` }).click();
  await page.getByRole('menuitem', { name: item, exact: true }).click();
};

test('an operator gives an organization a service account, and raises its limits (ADA-S-012, ADA-R-254, ADA-R-256, ADA-T-026, ADA-T-081, ADA-T-104)', async ({
  page,
  request,
}) => {
  const { id } = await organization(request);
  await signIn(page, 'ops', `/admin/organizations/${id}/serviceaccount`);
  await page.getByRole('button', { name: 'Create' }).click();
  await dialog(page, 'New service account').getByRole('textbox', { name: 'Name' }).fill('Interface engine');
  await dialog(page, 'New service account').getByRole('button', { name: 'Create' }).click();
  await expect(dialog(page, 'Token of the service account').locator('code')).toHaveText(/^cpsa_/);
  await page.getByRole('button', { name: 'I have kept it' }).click();
  await act(page, 'Interface engine', 'Edit');
  const edit = dialog(page, 'Edit service account');
  await edit.getByLabel('Client IP Addresses').fill('203.0.113.9');
  await edit.getByLabel('Client IP Addresses').press('Enter');
  await edit.getByLabel('Client IP Addresses').fill('2001:db8::/32');
  await edit.getByLabel('Client IP Addresses').press('Enter');
  await edit.getByRole('button', { name: 'Save Changes' }).click();
  await expect(page.getByText('2 of 5').first()).toBeVisible();
  await act(page, 'Interface engine', 'Allowed Addresses');
  const allowed = dialog(page, 'Allowed Addresses');
  await allowed.getByRole('textbox', { name: 'Allowed Addresses' }).fill('1');
  await allowed.getByRole('button', { name: 'Save Changes' }).click();
  await expect(allowed.getByText('The number of Allowed Addresses cannot be lower than the count')).toBeVisible();
  await allowed.getByRole('textbox', { name: 'Allowed Addresses' }).fill('9');
  await allowed.getByRole('button', { name: 'Save Changes' }).click();
  await expect(toast(page, 'Address count updated')).toBeVisible();
  await page.getByRole('textbox', { name: 'Service account limit' }).fill('2');
  await page.getByRole('button', { name: 'Save limit' }).click();
  await expect(toast(page, 'The service account limit was saved successfully.')).toBeVisible();
  await expect(page.getByRole('region', { name: 'Integrations' })).toContainText('Interface engine');
});

test('two parts of the security settings are saved apart, and a change by somebody else is noticed (ADA-S-011, ADA-S-017, ADA-T-030)', async ({
  page,
  request,
}) => {
  const { id } = await organization(request);
  const ops = apiOf(request, 'ops');
  const path = `/api/account/settings/security?organizationId=${id}`;
  type Settings = { idleMinutes: number; allowedAddresses: string[]; requireWhitelistedIp: boolean; requireSecondFactor: boolean };
  await signIn(page, 'ops', `/admin/organizations/${id}/settings`);
  const minutes = page.getByRole('textbox', { name: 'Minutes without activity until people are signed out' });
  await minutes.fill('7');
  await save(page, 'Session and sign-in');
  await expect(toast(page, 'The settings were saved.')).toBeVisible();
  await page.getByRole('tab', { name: 'IP Addresses' }).click();
  await page
    .getByRole('combobox', { name: 'IP Addresses' })
    .or(page.getByRole('textbox', { name: 'IP Addresses' }))
    .first()
    .fill('192.0.2.0/24');
  await page.keyboard.press('Enter');
  await save(page, 'IP Addresses');
  await expect(toast(page, 'The allowed addresses were saved.')).toBeVisible();
  expect(await ops.get<Settings>(path)).toMatchObject({ idleMinutes: 7, allowedAddresses: ['192.0.2.0/24'] });
  await page.getByRole('tab', { name: 'Settings', exact: true }).click();
  await expect(minutes).toHaveValue('7');
  await ops.put(path, { ...(await ops.get<Settings>(path)), idleMinutes: 12, allowedAddresses: ['198.51.100.7'] });
  await minutes.fill('9');
  await save(page, 'Session and sign-in');
  await expect(page.getByText('Minutes without activity until people are signed out: 7 became 12.')).toBeVisible();
  await page.getByRole('button', { name: 'Keep mine' }).click();
  await save(page, 'Session and sign-in');
  await expect(toast(page, 'The settings were saved.').last()).toBeVisible();
  expect(await ops.get<Settings>(path)).toMatchObject({ idleMinutes: 9, allowedAddresses: ['198.51.100.7'] });
});

test('the documents and the QHIN of an organization are set by an operator (ADA-S-011, ADA-S-015, ADA-T-028, ADA-R-072)', async ({
  page,
  request,
}) => {
  const { id } = await organization(request);
  const ops = apiOf(request, 'ops');
  await signIn(page, 'ops', `/admin/organizations/${id}/settings`);
  await page.getByRole('checkbox', { name: 'Faxes have no pages of details about patient and files' }).check();
  await save(page, 'Documents');
  await expect(toast(page, 'The document settings were saved.')).toBeVisible();
  expect(await ops.get(`/api/settings/interoperability?organizationId=${id}`)).toMatchObject({ suppressFaxMetadataPages: true });
  await page.getByRole('tab', { name: 'QHIN' }).click();
  await page.getByRole('checkbox', { name: 'The organization takes part' }).check();
  await page.getByRole('textbox', { name: 'Patient discovery' }).fill('http://qhin.example/iti55');
  await page.getByRole('textbox', { name: 'Name of the QHIN' }).fill('Northern Exchange');
  await page.getByRole('textbox', { name: 'Home community ID' }).fill('2.16.840.1.113883.3.9999');
  await save(page, 'QHIN');
  await expect(page.getByText('Please enter an https address.')).toBeVisible();
  await page.getByRole('textbox', { name: 'Patient discovery' }).fill('https://qhin.example/iti55');
  await save(page, 'QHIN');
  await expect(toast(page, 'The participation was saved.')).toBeVisible();
  await page.reload();
  await expect(page.getByRole('textbox', { name: 'Name of the QHIN' })).toHaveValue('Northern Exchange');
});

test('an operator renews the certificate of a Direct domain (ADA-S-010, ADA-C-038)', async ({ page, request }) => {
  const { id } = await organization(request);
  type Direct = { certificate: { serial: string } | null };
  const direct = () => apiOf(request, 'ops').get<Direct>(`/api/organizations/${id}/direct`);
  await expect.poll(async () => (await direct()).certificate?.serial).toBeTruthy();
  const before = (await direct()).certificate!.serial;
  await signIn(page, 'ops', `/admin/organizations/${id}/direct`);
  await page.getByRole('button', { name: 'More for the certificate' }).click();
  await page.getByRole('menuitem', { name: 'Renew' }).click();
  await dialog(page, 'Renew Certificate').getByRole('button', { name: 'Renew' }).click();
  await expect(toast(page, 'The certificate was renewed.')).toBeVisible();
  expect((await direct()).certificate!.serial).not.toBe(before);
});

/** Of an authority of nobody, `CN=North Root, O=Partner Health`, for a hundred years. */
const NORTH_ROOT = `-----BEGIN CERTIFICATE-----
MIIBsjCCAVmgAwIBAgIUSPDpGda1VFmq682tcEqO+9HQsM0wCgYIKoZIzj0EAwIw
LjETMBEGA1UEAwwKTm9ydGggUm9vdDEXMBUGA1UECgwOUGFydG5lciBIZWFsdGgw
IBcNMjYxMTI1MjMwOTUyWhgPMjEyNjExMDEyMzA5NTJaMC4xEzARBgNVBAMMCk5v
cnRoIFJvb3QxFzAVBgNVBAoMDlBhcnRuZXIgSGVhbHRoMFkwEwYHKoZIzj0CAQYI
KoZIzj0DAQcDQgAElhbBfI9h6mmj9JjK11RkeiV+zr6CiM2czuuJjnZzz/6gQQf1
PtHxI05Wr08WpntgTq39mXwTiPVetnaEDzZzwqNTMFEwHQYDVR0OBBYEFCHLr045
5MlmSvoqCA4Fg2MIa2dWMB8GA1UdIwQYMBaAFCHLr0455MlmSvoqCA4Fg2MIa2dW
MA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDRwAwRAIgIarb6MiV6Q9385Oa
wcCSuCbcdG5f8HsHmghiAb6mCucCIB5mKgHeCmklzUfgwSsVN2yV3UnuUFYSSv6t
fmqkyXdi
-----END CERTIFICATE-----
`;

test('an operator trusts a certificate for one organization, changes its terms and removes it', async ({ page, request }) => {
  const { id } = await organization(request);
  await signIn(page, 'ops', `/admin/organizations/${id}/direct`);
  await page.getByText('Trust anchors', { exact: true }).click();
  await page.getByRole('button', { name: 'Add anchor' }).click();
  const add = dialog(page, 'Add a trust anchor');
  await add.locator('input[type=file]').setInputFiles({ name: 'north.pem', mimeType: 'text/plain', buffer: Buffer.from('none') });
  await add.getByRole('button', { name: 'Trust', exact: true }).click();
  await expect(add.getByText('This is not a readable certificate.')).toBeVisible();
  await add.getByRole('textbox', { name: 'Certificate' }).fill(NORTH_ROOT);
  await add.getByRole('button', { name: 'Trust', exact: true }).click();
  await expect(toast(page, 'The certificate is trusted.')).toBeVisible();
  const row = page.getByRole('table', { name: 'Trust anchors' }).locator('tbody tr').filter({ hasText: 'North Root' });
  await expect(row).toContainText('Received and sent mail');
  await act(page, 'CN=North Root, O=Partner Health', 'Edit');
  await dialog(page, 'Edit trust anchor').getByRole('checkbox', { name: 'Require revocation lists' }).check();
  await dialog(page, 'Edit trust anchor').getByRole('button', { name: 'Save Changes' }).click();
  await expect(toast(page, 'The trust anchor was saved.')).toBeVisible();
  await act(page, 'CN=North Root, O=Partner Health', 'Remove');
  await dialog(page, 'Remove trust anchor').getByRole('button', { name: 'Remove' }).click();
  await expect(row).toBeHidden();
});

test('an administrator makes a token for a system of their own, and a new one ends it', async ({ page, request }) => {
  const { userName } = await organization(request);
  await signIn(page, userName);
  await page.getByRole('link', { name: 'Service accounts' }).click();
  await page.getByRole('button', { name: 'Create' }).click();
  await dialog(page, 'New service account').getByRole('textbox', { name: 'Name' }).fill('Interface engine');
  await dialog(page, 'New service account').getByRole('button', { name: 'Create' }).click();
  const token = dialog(page, 'Token of the service account').locator('code');
  const first = await token.textContent();
  await page.getByRole('button', { name: 'I have kept it' }).click();
  await act(page, 'Interface engine', 'New token');
  await dialog(page, 'New Token').getByRole('button', { name: 'Make a new token' }).click();
  await expect(token).not.toHaveText(first!);
  const refused = await request.post('/api/intake', { data: {}, headers: { Authorization: `Bearer ${first}` } });
  expect(refused.status()).toBe(401);
  await page.getByRole('button', { name: 'I have kept it' }).click();
});
