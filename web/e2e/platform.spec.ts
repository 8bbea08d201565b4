import { readFile } from 'node:fs/promises';
import { apiOf, dialog, LARKFIELD, unique } from './helpers';
import { afterwards, expect, signIn, test, WORK_MS } from './support';

test('an operator finds in the audit trail what somebody did, and saves it as a table (ADB-S-035, ADB-R-229, ADB-R-231, ADB-R-235)', async ({
  page,
  request,
}) => {
  const subject = unique('Audited');
  const id = await apiOf(request, 'sam').draft({ subject, to: [LARKFIELD] });
  await signIn(page, 'ops', '/admin/audits');
  await page.getByLabel('User name').fill('sam@');
  await page.getByLabel('Filter the entries').fill(id);
  // The previous rows stay until the search has answered.
  const found = page.getByRole('button', { name: /^More about/ });
  await expect(found).toHaveCount(1);
  await expect(found).toHaveAccessibleName('More about Created by sam@carepost.example');
  await found.click();
  await expect(page.getByText('Succeeded').first()).toBeVisible();
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'CSV' }).click()]);
  expect(download.suggestedFilename()).toMatch(/^AuditEntries_\d{8}-\d{8}\.csv$/);
  const lines = (await readFile(await download.path(), 'utf8')).trimEnd().split('\r\n').slice(1);
  expect(lines.length).toBeGreaterThan(0);
  for (const line of lines) expect(line).toContain(id);
});

test('calls of an organization are captured once that is switched on, with their bodies for whoever says why (ADB-S-033, ADB-S-034, ADB-R-219)', async ({
  page,
  request,
}) => {
  const [ops, sam] = [apiOf(request, 'ops'), apiOf(request, 'sam')];
  const subject = unique('Captured');
  const id = await sam.draft({ subject, to: [LARKFIELD] });
  const url = `/api/messages/${id}`;
  const { items } = await ops.get<{ items: { id: string }[] }>('/api/organizations?search=Summit%20Orthopedics');
  const path = `/api/organizations/${items[0]!.id}/apicapture`;
  await ops.put(path, { enable: true });
  afterwards(() => ops.put(path, { enable: false }));
  const found = `/api/diagnostics/apicapture?search=${encodeURIComponent(JSON.stringify({ url }))}`;
  const captured = async () => {
    await sam.get(url);
    return (await ops.get<{ totalCount: number }>(found)).totalCount;
  };
  await expect.poll(captured, { timeout: WORK_MS }).toBeGreaterThan(0);

  await signIn(page, 'ops', '/admin/apicapture');
  await page.getByLabel('URL').fill(url);
  await page
    .getByRole('button', { name: `More about GET ${url}` })
    .first()
    .click();
  await expect(page.getByRole('region', { name: 'Request' })).toContainText('authorization');
  await expect(page.getByText(subject)).toHaveCount(0);
  await page.getByRole('button', { name: 'Show query and bodies' }).click();
  await dialog(page, 'Show query and bodies').getByRole('textbox', { name: 'Reason' }).fill('Ticket 4711');
  await dialog(page, 'Show query and bodies').getByRole('button', { name: 'Show' }).click();
  await expect(page.getByRole('region', { name: 'Response' })).toContainText(subject);
});
