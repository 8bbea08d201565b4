import type { Page } from '@playwright/test';
import { apiOf, dialog, unique } from './helpers';
import { afterwards, expect, signIn, test } from './support';

const EMERGENCIES = '/api/admin/emergencies';
const ORGANIZATIONS = '/api/emergencies/organizations';
const rowOf = (page: Page, table: string, text: string) =>
  page.getByRole('table', { name: table }).locator('tbody tr').filter({ hasText: text });

test('who has an entry in the Carequality directory takes part in emergencies by its OID (ADA-S-013, ADA-S-054, ADA-S-055, ADA-T-027)', async ({
  page,
  request,
}) => {
  const ops = apiOf(request, 'ops');
  const [branch, flood] = [unique('Alder Relief'), unique('Flood')];
  const oid = `2.16.840.1.113883.3.9999.${Date.now()}`;
  const found = await ops.get<{ items: { id: string }[] }>('/api/organizations?search=Larkfield%20Family');
  const organization = found.items[0]!.id;
  const address = { address: '7 Quay Street', city: 'Harborline', state: 'OH', zipCode: '43998', country: 'US' };
  const entry = { responderType: 'DirectResponder', organizationId: oid, displayName: branch, ...address };
  await ops.put(`/api/admin/organizations/${organization}/directoryentries`, entry);
  afterwards(() => ops.remove(`${ORGANIZATIONS}/${oid}`).catch(() => undefined));

  await signIn(page, 'ops', `/admin/organizations/${organization}/cq`);
  await expect(page).toHaveURL(/\/carequality$/);
  await expect(page.getByRole('tab', { name: 'Carequality' })).toHaveAttribute('aria-selected', 'true');
  await expect(page.getByRole('heading', { name: 'Alternate requester OIDs' })).toBeVisible();
  await expect(rowOf(page, 'Directory entries', branch)).toContainText(oid);

  await page.goto('/admin/emergencies/organizations');
  await page.getByRole('button', { name: 'Add organization' }).click();
  const added = dialog(page, 'New organization');
  await added.getByRole('textbox', { name: 'OID' }).fill(oid);
  await expect(added.getByRole('textbox', { name: 'Name' })).toHaveValue(branch);
  await added.getByRole('button', { name: 'Save' }).click();
  await page.getByLabel('Search organizations').fill(branch);
  await expect(rowOf(page, 'Organizations', branch)).toBeVisible();

  await page.getByRole('tab', { name: 'Emergencies' }).click();
  await page.getByRole('button', { name: 'Create' }).click();
  const form = dialog(page, 'New emergency');
  await form.getByRole('textbox', { name: 'Name' }).fill(flood);
  await form.getByRole('combobox', { name: 'Organizations' }).fill(branch);
  await page.getByRole('option', { name: branch }).click();
  await page.keyboard.press('Escape');
  afterwards(async () => {
    const all = await ops.get<{ items: { id: string; name: string }[] }>(EMERGENCIES);
    for (const { id, name } of all.items) if (name === flood) await ops.remove(`${EMERGENCIES}/${id}`);
  });
  await form.getByRole('button', { name: 'Create' }).click();
  await page.getByLabel('Search emergencies').fill(flood);
  await expect(rowOf(page, 'Emergencies', flood)).toContainText(branch);
  await expect(rowOf(page, 'Emergencies', flood)).toContainText('Enabled');
});
