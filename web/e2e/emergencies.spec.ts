import type { APIRequestContext, Page } from '@playwright/test';
import { apiOf, dialog, toast, unique } from './helpers';
import { afterwards, expect, signIn, test } from './support';

const EMERGENCIES = '/api/admin/emergencies';
const ORGANIZATIONS = '/api/emergencies/organizations';
const rowOf = (page: Page, table: string, text: string) =>
  page.getByRole('table', { name: table }).locator('tbody tr').filter({ hasText: text });
const act = async (page: Page, name: string, item: string) => {
  await page.getByRole('button', { name: `Actions for ${name}` }).click();
  await page.getByRole('menuitem', { name: item, exact: true }).click();
};

let counter = 0;
/** Somebody whom the public-health service knows: an entry of the Carequality directory. */
async function known(request: APIRequestContext, displayName: string) {
  const ops = apiOf(request, 'ops');
  const found = await ops.get<{ items: { id: string }[] }>('/api/organizations?search=Larkfield%20Family');
  const oid = `2.16.840.1.113883.3.9999.${Date.now()}.${counter++}`;
  const address = { address: '7 Quay Street', city: 'Harborline', state: 'OH', zipCode: '43998', country: 'US' };
  const entry = { responderType: 'DirectResponder', organizationId: oid, displayName, ...address };
  await ops.put(`/api/admin/organizations/${found.items[0]!.id}/directoryentries`, entry);
  afterwards(() => ops.remove(`${ORGANIZATIONS}/${oid}`).catch(() => undefined));
  return oid;
}

test('an organization is known by its OID, gets its name from the service, and is changed and removed (ADA-S-053, ADA-S-055, ADA-S-056, ADA-R-041, ADA-R-157, ADA-R-158, ADA-R-159, ADA-R-160, ADA-R-161, ADA-R-301, ADA-R-303, ADA-R-304, ADA-T-160, ADA-T-161, ADA-T-162, ADA-T-163)', async ({
  page,
  request,
}) => {
  const [first, second] = [unique('Alder Relief'), unique('Birch Relief')];
  const [one, other] = [await known(request, first), await known(request, second)];
  await signIn(page, 'ops', '/admin/emergencies');
  await expect(page.getByRole('button', { name: 'Create' })).toBeVisible();
  await page.getByRole('tab', { name: 'Organizations' }).click();
  await expect(page).toHaveURL(/\/admin\/emergencies\/organizations$/);
  await page.getByRole('button', { name: 'Add organization' }).click();
  const box = page.getByRole('dialog');
  await box.getByRole('textbox', { name: 'OID' }).fill('2.25.404');
  await expect(box.getByText('No organizations found')).toBeVisible();
  await box.getByRole('textbox', { name: 'OID' }).fill(one);
  await expect(box.getByRole('textbox', { name: 'Name' })).toHaveValue(first);
  await box.getByRole('button', { name: 'Save' }).click();
  await expect(toast(page, 'Organization saved.')).toBeVisible();
  await page.getByLabel('Search organizations').fill(first);
  await expect(rowOf(page, 'Organizations', first)).toContainText(`${one.slice(0, 30)} ...`);
  await act(page, first, 'Edit');
  await page.getByRole('dialog').getByRole('textbox', { name: 'OID' }).fill(other);
  await expect(page.getByRole('dialog').getByRole('textbox', { name: 'Name' })).toHaveValue(second);
  await page.getByRole('dialog').getByRole('button', { name: /^Save/ }).click();
  await page.getByLabel('Search organizations').fill(second);
  await expect(rowOf(page, 'Organizations', second)).toBeVisible();
  await page.getByRole('button', { name: `Actions for ${second}` }).click();
  await page.getByRole('menuitem', { name: /Delete|Remove/ }).click();
  const question = `Are you sure you want to remove the organization ${second} from the list of known PUBLICHEALTH emergencies?`;
  await expect(page.getByRole('dialog').getByText(question)).toBeVisible();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /Delete|Remove/ })
    .click();
  await expect(toast(page, 'Organization removed.')).toBeVisible();
});

test('an emergency is green, amber before its last day and red from then on (ADA-S-051, ADA-S-052, ADA-S-054, ADA-R-152, ADA-R-153, ADA-R-154, ADA-R-156, ADA-R-293, ADA-R-297, ADA-R-298, ADA-T-157)', async ({
  page,
  request,
}) => {
  const ops = apiOf(request, 'ops');
  const [name, member] = [unique('Flood'), unique('Cedar Relief')];
  await ops.put(ORGANIZATIONS, { oid: await known(request, member) });
  await signIn(page, 'ops', '/admin/emergencies');
  await page.getByRole('button', { name: 'Create' }).click();
  const box = dialog(page, 'New emergency');
  await box.getByRole('textbox', { name: 'Name' }).fill(name);
  await box.getByRole('combobox', { name: 'Organizations' }).fill(member);
  await page.getByRole('option', { name: member }).click();
  await page.keyboard.press('Escape');
  await page.route(`**${EMERGENCIES}`, (route) =>
    route.request().method() === 'POST' ? route.fulfill({ status: 409, json: { message: 'The service sleeps.' } }) : route.fallback(),
  );
  await box.getByRole('button', { name: 'Create' }).click();
  await expect(page.getByText('The service sleeps.')).toBeVisible();
  await page.unrouteAll();
  await box.getByRole('button', { name: 'Create' }).click();
  await expect(toast(page, 'Emergency saved.')).toBeVisible();
  const all = await ops.get<{ items: { id: string; name: string }[] }>(EMERGENCIES);
  const { id } = all.items.find((e) => e.name === name)!;
  afterwards(() => ops.remove(`${EMERGENCIES}/${id}`).catch(() => undefined));
  await page.getByLabel('Search emergencies').fill(name);
  const row = rowOf(page, 'Emergencies', name);
  await expect(row).toContainText('Enabled');
  for (const typed of ['1/2/2099', '1/2/99', '01022099', '010299']) {
    await act(page, name, 'Edit');
    const edit = dialog(page, 'Edit emergency');
    await edit.getByRole('textbox', { name: 'Disabled date' }).fill(typed);
    await edit.getByRole('textbox', { name: 'Disabled date' }).press('Tab');
    await expect(edit.getByRole('textbox', { name: 'Disabled date' })).toHaveValue(/01\/02\/(2099|1999)/);
    await edit.getByRole('textbox', { name: 'Disabled date' }).fill('1/2/2099');
    await edit.getByRole('button', { name: 'Save Changes' }).click();
    await expect(edit).toBeHidden();
  }
  await expect(row.locator('.t-warn')).toContainText('Until 01/02/99');
  await act(page, name, 'Enable');
  await dialog(page, 'Enable emergency').getByRole('button', { name: 'Enable' }).click();
  await expect(row).toContainText('Enabled');
  await act(page, name, 'Disable');
  await dialog(page, 'Disable emergency').getByRole('button', { name: 'Disable' }).click();
  await expect(row.locator('.t-danger')).toContainText('Disabled');
});
