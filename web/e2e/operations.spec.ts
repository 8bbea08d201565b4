import { apiOf, unique } from './helpers';
import { afterwards, expect, signIn, test, WORK_MS } from './support';

const HEADS = 'Organization name,Subdomain,Street,City,State,Zip,Contact first name,Contact last name,Contact email';

test('an operator checks a file of organizations, imports it and sees what became of each row (ADA-S-003, ADA-S-060, ADA-S-061, ADA-S-062, ADA-R-042, ADA-R-067, ADA-R-324, ADA-T-003, ADA-T-170)', async ({
  page,
  request,
}) => {
  const name = unique('Alder Clinic');
  const key = name.toLowerCase().replaceAll(' ', '-');
  const line = (named: string, of: string, first: string) =>
    `${named},${of},418 Orchard Lane,Portland,OR,97201,${first},Whitlock,dana@${key}.example`;
  const csv = [HEADS, line(name, key, 'Dana'), line('Birch_Clinic', `${key}-b`, 'D')].join('\r\n');
  await signIn(page, 'ops', '/admin/organizations');
  await page.getByRole('button', { name: 'Import' }).click();
  await expect(page.getByRole('tab')).toHaveText(['Status', 'Organizations']);
  await expect(page.getByRole('tab', { name: 'Organizations' })).toHaveAttribute('aria-selected', 'true');
  for (const label of ['Plan', 'HISP', 'Brand', 'Type', 'Specialty']) {
    await page
      .getByRole('combobox', { name: label, exact: true })
      .or(page.getByRole('textbox', { name: label, exact: true }))
      .first()
      .click();
    await page.getByRole('option').first().click();
  }
  await page.locator('input[type=file]').setInputFiles({ name: `${key}.csv`, mimeType: 'text/csv', buffer: Buffer.from(csv) });
  await page.getByRole('button', { name: 'Check without saving' }).click();
  await expect(page.getByRole('status').getByText('1 would be created, 0 already exist, 1 have problems.')).toBeVisible();

  const ops = apiOf(request, 'ops');
  afterwards(async () => {
    const { items } = await ops.get<{ items: { id: string }[] }>(`/api/organizations?search=${encodeURIComponent(name)}`);
    for (const { id } of items) await ops.remove(`/api/organizations/${id}`);
  });
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await expect(page.getByText('The file was imported successfully. Please check the status screen.')).toBeVisible();
  type Batch = { fileName: string; waiting: number };
  const waiting = async () =>
    (await ops.get<{ items: Batch[] }>('/api/admin/import/batches')).items.find((batch) => batch.fileName === `${key}.csv`)?.waiting;
  await expect.poll(waiting, { timeout: WORK_MS }).toBe(0);
  const batch = page.getByRole('list', { name: 'Imported files' }).getByRole('listitem').filter({ hasText: key });
  await expect(batch).toContainText('2 of 2 rows, 1 created, 1 failed');
  await expect(
    page
      .getByRole('table', { name: 'Rows' })
      .locator('tbody tr')
      .filter({ hasText: name.split(' ').at(-1)! }),
  ).toHaveCount(2);
  await page.getByRole('button', { name: `Problems of ${key}-b` }).click();
  await expect(page.getByText('Organization name: Invalid characters in field: _')).toBeVisible();
});
