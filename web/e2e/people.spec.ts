import type { Page } from '@playwright/test';
import { dialog, field, pdf } from './helpers';
import { practice } from './practice';
import { expect, OWN_PASSWORD, signIn, test } from './support';

const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });

test('a photo ID is looked at beside the person as described, and refused with a reason', async ({ page, request }) => {
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
  await page.getByRole('button', { name: 'Not Verified', exact: true }).click();
  await field(page, 'Reason').fill('The date of expiry cannot be read.');
  await dialog(page, 'Not Verified').getByRole('button', { name: 'Refuse' }).click();
  await expect(row(page, name)).toHaveCount(0);
  const standing = async () => (await request.get('/api/identityproofing/decision', { headers })).json();
  await expect.poll(standing).toMatchObject({ documentRefused: true, refusalReason: 'The date of expiry cannot be read.' });
});
