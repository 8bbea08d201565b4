import { apiOf, dialog, pdf, receive, unique } from './helpers';
import { afterwards, expect, signIn, test, told } from './support';

const RULES = '/api/settings/intakerules';
type Rule = { id: string; name: string };

test('an administrator makes a rule, and what arrives is assigned, tagged and marked by it', async ({ page, request }) => {
  const word = unique('Knee');
  const name = unique('Knees');
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
  await form.getByRole('combobox', { name: 'Assign to' }).click();
  await page.getByRole('option', { name: 'Dana Whitfield' }).click();
  await page.keyboard.press('Tab');
  await form.getByRole('button', { name: 'Create', exact: true }).click();
  await told(page, 'The intake rule was created.');

  await receive(request, { subject: `${word} of today`, files: [pdf()] });
  await page.goto('/intake');
  await page.getByLabel('Filter messages').fill(word);
  const arrived = page.locator('[aria-label="Intake messages"] tbody tr', { hasText: `${word} of today` });
  await expect(arrived.getByText('orthopedics', { exact: true })).toBeVisible();
  await expect(arrived.getByTitle('Urgent')).toBeVisible();
});
