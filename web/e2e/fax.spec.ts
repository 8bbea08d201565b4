import { apiOf, dialog, pdf, unique } from './helpers';
import { afterwards, expect, signIn, test, WORK_MS } from './support';

const LARKFIELD = '+17405550110';
const SUMMIT = '+17405550120';
/** Always busy. */
const BUSY = '+17405550197';

const draftTo = (to: string, subject: string) => ({ subject, to: [to], files: [pdf('Note.pdf')], more: { fromAddress: LARKFIELD } });

test('a practice faxes another one and sees it arrive; that one finds pages, caller and sender id in its Intake (MSG-R-002, MSG-R-003, SES-R-003, MSG-R-463)', async ({
  page,
  request,
}) => {
  const [dana, sam] = [apiOf(request, 'dana'), apiOf(request, 'sam')];
  const faxes = async () => {
    const asked = { isAll: true, startDate: '2000-01-01', filter: '740-555-0110', pageStart: 1, pageSize: 100 };
    return (await sam.post<{ items: { id: string }[] }>('/api/messages', asked)).items.map((m) => m.id);
  };
  const before = await faxes();
  const id = await dana.draft(draftTo(SUMMIT, unique('Fax between practices')));
  await dana.post(`/api/messages/${id}/send`, { confirmedFaxNumbers: [SUMMIT] });
  await signIn(page, 'dana', `/release/${id}`);
  await expect(page.getByText('1 delivered')).toBeVisible({ timeout: WORK_MS });

  let arrived = '';
  const arrives = async () => (arrived = (await faxes()).find((other) => !before.includes(other)) ?? '');
  await expect.poll(arrives, { timeout: WORK_MS }).not.toBe('');
  afterwards(() => sam.forget(arrived));
  await signIn(page, 'sam', '/intake');
  const row = page.locator('[aria-label="Intake messages"] tbody tr', { has: page.locator(`a[href*="${arrived}"]`) });
  await expect(row).toContainText('Fax from 740-555-0110');
  await expect(row).toContainText(/\d p/);
  await row.getByRole('link').click();
  const details = page.getByRole('heading', { name: 'Details' }).locator('..').locator('..');
  for (const text of ['Pages', '740-555-0110', 'Sender ID', 'Fine']) await expect(details).toContainText(text);
});

test('a fax to a busy line waits for its next call until its sender cancels it, and the page says so at once', async ({
  page,
  request,
}) => {
  const dana = apiOf(request, 'dana');
  const id = await dana.draft(draftTo(BUSY, unique('Busy')));
  await dana.post(`/api/messages/${id}/send`, { confirmedFaxNumbers: [BUSY] });
  await signIn(page, 'dana', `/release/${id}`);
  await expect(page.getByText(/next call/)).toBeVisible({ timeout: WORK_MS });
  await expect(page.getByText("The recipient's line is busy.").first()).toBeVisible();
  await page.getByRole('button', { name: 'Cancel fax' }).click();
  await dialog(page, 'Cancel the fax?').getByRole('button', { name: 'Cancel fax' }).click();
  await expect(page.getByText('The fax was cancelled.')).toBeVisible();
  await expect(page.getByText('Failed', { exact: true }).first()).toBeVisible();
  await expect(page.getByRole('button', { name: 'Cancel fax' })).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Send again' })).toBeVisible();
});
