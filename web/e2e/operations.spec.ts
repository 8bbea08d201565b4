import { expect, signIn, test } from './support';

const HEADS = 'Organization name,Subdomain,Street,City,State,Zip,Contact first name,Contact last name,Contact email';

test('an operator checks a file of organizations, imports it and sees what became of each row (ADA-S-003, ADA-S-060, ADA-S-061, ADA-S-062, ADA-R-042, ADA-R-067, ADA-R-324, ADA-T-003, ADA-T-170)', async ({
  page,
}) => {
  const key = `alder-${Date.now().toString(36)}`;
  const line = (name: string, of: string, first: string) =>
    `${name},${of},418 Orchard Lane,Portland,OR,97201,${first},Whitlock,dana@alder.example`;
  const csv = [HEADS, line('Alder Clinic', key, 'Dana'), line('Birch_Clinic', `${key}-b`, 'D')].join('\r\n');
  await signIn(page, 'ops', '/admin/organizations');
  await page.getByRole('button', { name: 'Import' }).click();
  await expect(page.getByRole('tab', { name: 'Organizations' })).toHaveAttribute('aria-selected', 'true');
  for (const name of ['Plan', 'HISP', 'Brand', 'Type', 'Specialty']) {
    await page
      .getByRole('combobox', { name, exact: true })
      .or(page.getByRole('textbox', { name, exact: true }))
      .first()
      .click();
    await page.getByRole('option').first().click();
  }
  await page.locator('input[type=file]').setInputFiles({ name: 'alder.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) });
  await page.getByRole('button', { name: 'Check without saving' }).click();
  await expect(page.getByRole('status').getByText('1 would be created, 0 are there already, 1 have problems.')).toBeVisible();
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await expect(page.getByText('The file was imported successfully. Please check the status screen.')).toBeVisible();
  await expect(
    page
      .getByRole('list', { name: 'Imported files' })
      .getByText(/2 of 2 rows/)
      .first(),
  ).toBeVisible();
  await page.getByRole('button', { name: `Problems of ${key}-b` }).click();
  await expect(page.getByText('Organization name: Invalid characters in field: _')).toBeVisible();
});

test('an operator learns that an id is not there, and which ids cannot be decoded (ADA-S-043, ADA-S-044, ADA-S-046, ADA-R-287, ADA-R-289, ADA-T-149)', async ({
  page,
}) => {
  await signIn(page, 'ops', '/admin/utils');
  const part = page.getByRole('region', { name: 'Message', exact: true });
  await part.getByLabel('Message id').fill('nothing');
  await part.getByRole('button', { name: 'Look up' }).click();
  await expect(part.getByText('Not Found')).toBeVisible();
  const objects = page.getByRole('region', { name: 'Object id', exact: true });
  await objects.getByLabel('Object ids').fill('nothing, 01935a4e-7c1b-7d2e-9f00-5b8f2a3c4d5e');
  await objects.getByRole('button', { name: 'Decode' }).click();
  await expect(objects.getByRole('row', { name: /nothing/ }).getByText('Invalid')).toBeVisible();
  await expect(objects.getByRole('row', { name: /01935a4e/ }).getByText('–')).toBeVisible();
});

test('a bulk retry says what is missing (ADA-S-047, ADA-R-277, ADA-R-278, ADA-R-279, ADA-T-062, ADA-T-084, ADA-T-085, ADA-T-086)', async ({
  page,
}) => {
  await signIn(page, 'ops', '/admin/utils/workflowretry');
  const part = page.getByRole('region', { name: 'By list' });
  await part.getByRole('button', { name: 'Retry' }).click();
  for (const text of ['Type is missing.', 'Step Type is missing.', 'Workflow Ids are missing.'])
    await expect(part.getByText(text, { exact: true })).toBeVisible();
});
