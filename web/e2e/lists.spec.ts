import { apiOf, dialog } from './helpers';
import { afterwards, expect, signIn, test } from './support';

test('a version of the terms is uploaded as an HTML file, read without what could run in it, and deleted (ADA-S-057, ADA-S-058, ADA-S-059, ADA-R-169, ADA-R-170)', async ({
  page,
  request,
}) => {
  const ops = apiOf(request, 'ops');
  const version = `9${String(Date.now()).slice(-7)}`;
  type Eula = { id: string; version: string; type: string };
  const uploaded = async () => (await ops.get<{ items: Eula[] }>(`/api/admin/eulas?search=${version}`)).items;
  afterwards(async () => {
    for (const { id } of await uploaded()) await ops.remove(`/api/admin/eulas/${id}`);
  });
  await signIn(page, 'ops', '/admin/eulas');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  const form = dialog(page, 'New EULA');
  await form.getByRole('combobox', { name: 'Brand' }).click();
  await page.getByRole('option', { name: 'All brands without their own terms' }).click();
  await form.getByRole('textbox', { name: 'Version' }).fill(version);
  const html = '<h2>Rules</h2><script>document.title = "Ran"</script><img src="x" onerror="document.title = \'Ran\'"><p>Be kind.</p>';
  await form.locator('input[type="file"]').setInputFiles({ name: 'terms.html', mimeType: 'text/html', buffer: Buffer.from(html) });
  await form.getByRole('button', { name: 'Create' }).click();
  await expect(form).toBeHidden();
  expect(await uploaded()).toMatchObject([{ type: 'EULA', version }]);

  await page.getByLabel('Search EULAs').fill(version);
  const name = `EULA ${version}, All brands without their own terms`;
  await page.getByRole('button', { name: `Actions for ${name}` }).click();
  await page.getByRole('menuitem', { name: 'View' }).click();
  const text = dialog(page, name).getByRole('region', { name: 'Text of the terms' });
  await expect(text.getByText('Be kind.')).toBeVisible();
  await expect(text.locator('script, [onerror]')).toHaveCount(0);
  await expect(page).not.toHaveTitle('Ran');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: `Actions for ${name}` }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await dialog(page, 'Delete EULA').getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByRole('heading', { name: 'No EULA matches' })).toBeVisible();
});
