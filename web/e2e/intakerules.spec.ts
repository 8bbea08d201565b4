import { apiOf, dialog, pdf, receive, toast, unique } from './helpers';
import { afterwards, expect, signIn, test } from './support';

const RULES = '/api/settings/intakerules';
type Rule = { id: string; name: string };

test('an administrator makes a rule, tries it on what came in, and what arrives is sorted by it', async ({ page, request }) => {
  const word = unique('Knee');
  const name = unique('Knees');
  await receive(request, { subject: `${word} of last week`, files: [pdf()] });
  afterwards(async () => {
    const { items } = await apiOf(request, 'dana').get<{ items: Rule[] }>(`${RULES}?pageSize=100`);
    for (const rule of items.filter((r) => r.name === name)) await apiOf(request, 'dana').remove(`${RULES}/${rule.id}`);
  });
  await signIn(page, 'dana', '/account/settings/intakerules');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  const form = dialog(page, 'New intake rule');
  await form.getByRole('textbox', { name: 'Name', exact: true }).fill(name);
  await form.getByRole('combobox', { name: 'Subject contains' }).fill(word);
  await form.getByRole('combobox', { name: 'Add tags' }).fill('orthopedics');
  await form.getByRole('checkbox', { name: 'Mark as urgent' }).check();
  await form.getByRole('button', { name: 'Create', exact: true }).click();
  await expect(form).toContainText('Urgent needs a reviewer.');
  await form.getByRole('combobox', { name: 'Assign to' }).click();
  await page.getByRole('option', { name: 'Dana Whitfield' }).click();
  await page.keyboard.press('Tab');
  await form.getByRole('button', { name: 'Create', exact: true }).click();
  await expect(toast(page, 'The intake rule was created.')).toBeVisible();

  const row = page.locator('[aria-label="Intake rules"] tbody tr', { hasText: name });
  await expect(row).toContainText('Assign to Dana Whitfield, tag orthopedics, urgent');
  await row.getByRole('button', { name: /^Actions for/ }).click();
  await page.getByRole('menuitem', { name: 'Try it' }).click();
  const tried = dialog(page, `Try “${name}”`);
  await expect(tried.getByRole('link', { name: `${word} of last week` })).toBeVisible();
  await expect(tried).toContainText(`The subject contains “${word}”`);
  await tried.getByRole('button', { name: 'Close', exact: true }).last().click();

  await receive(request, { subject: `${word} of today`, files: [pdf()] });
  await page.goto('/intake');
  await page.getByLabel('Filter messages').fill(word);
  const arrived = page.locator('[aria-label="Intake messages"] tbody tr', { hasText: 'of today' });
  await expect(arrived.getByText('orthopedics', { exact: true })).toBeVisible();
  await expect(arrived.getByTitle('Urgent')).toBeVisible();
});

test('an address is requested, activated and retired, and is kept then', async ({ page, request }) => {
  const local = unique('desk').replaceAll(' ', '');
  await signIn(page, 'dana', '/account/settings/directaddresses');
  await page.getByRole('button', { name: 'Request address' }).click();
  const form = dialog(page, 'Request a Direct address');
  await form.getByRole('textbox', { name: 'Address', exact: true }).fill(local);
  await form.getByRole('textbox', { name: 'Name', exact: true }).fill('Story desk');
  await form.getByRole('button', { name: 'Request', exact: true }).click();
  const row = page.locator('[aria-label="Direct addresses"] tbody tr', { hasText: local });
  const act = async (item: string) => {
    await row.getByRole('button', { name: /^Actions for/ }).click();
    await page.getByRole('menuitem', { name: item, exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: item, exact: true }).click();
  };
  await page.getByLabel('Search Direct addresses').fill(local);
  await expect(row).toContainText('Requested');
  await act('Activate');
  await expect(row).toContainText('Active');
  await act('Retire');
  await expect(row).toContainText('Retired');
  const { items } = await apiOf(request, 'dana').get<{ items: { state: string; people: string[]; readers: null }[] }>(
    `/api/settings/directaddresses?search=${local}`,
  );
  expect(items.map((a) => a.state)).toEqual(['Retired']);
  expect(items[0]!.people, 'whoever asked for it may send').toHaveLength(1);
});
