import { apiOf, dialog, pdf, receive, unique } from './helpers';
import { afterwards, expect, settled, signIn, test, WORK_MS } from './support';

type Connection = { isActive: boolean; version: number };

test('a document is filed into the chart of its patient, seen there, and taken back @critical', async ({ page, request }) => {
  const dana = apiOf(request, 'dana');
  const use = async (isActive: boolean) => {
    const { items } = await dana.get<{ items: Connection[] }>('/api/integrations');
    await dana.put('/api/integrations', { ...items[0]!, isActive });
  };
  await use(true);
  afterwards(() => use(false));
  const id = await receive(request, { subject: unique('Consultation'), files: [pdf('Consultation.pdf', ['Seen on Thursday'])] });
  await dana.setPatient(id, { firstName: 'Marisol', middleName: 'J', lastName: 'Tenney', birthDate: '1961-03-14', gender: 'F' });
  await signIn(page, 'dana', `/intake/${id}`);
  const chart = page.getByRole('region', { name: 'Chart: Larkfield Chart' });
  // She of 1964 is not proposed.
  await chart.getByRole('button', { name: 'Use Tenney, Marisol J' }).click();
  await expect(page.getByRole('textbox', { name: 'Last name' })).toBeDisabled();
  await settled(page);
  await page.keyboard.press('e');
  // The file has no type yet.
  await expect(dialog(page, 'Document type').locator('input:focus')).toBeVisible();
  await page.keyboard.type('progress');
  await page.keyboard.press('Enter');
  await expect
    .poll(async () => (await dana.get<{ isProcessed: boolean }>(`/api/messages/${id}`)).isProcessed, { timeout: WORK_MS })
    .toBe(true);

  await page.goto(`/intake/${id}`);
  await expect(page.getByText('In the chart').first()).toBeVisible({ timeout: WORK_MS });
  const inChart = async () => (await request.get('/sample-ehr/chart/tenney')).text();
  expect(await inChart()).toContain('current');
  await page.getByRole('button', { name: /^Undo: / }).click();
  await dialog(page, 'Take back from the chart').getByRole('button', { name: 'Take back' }).click();
  await expect(page.getByText('Taken back')).toBeVisible({ timeout: WORK_MS });
  // "Being taken back" is shown before.
  await expect.poll(inChart, { timeout: WORK_MS }).toContain('Entered in error');
});
