import type { APIRequestContext, Page } from '@playwright/test';
import { apiOf, unique } from './helpers';
import { afterwards, authenticate, expect, test, WORK_MS } from './support';

/** A PDF whose pages have these texts; an empty text makes a blank page. Readers repair the missing table. */
function pdfOf(pages: string[]): Buffer {
  const objects = ['<< /Type /Catalog /Pages 2 0 R >>'];
  const first = 4;
  const kids = pages.map((_, i) => `${first + 2 * i} 0 R`).join(' ');
  objects.push(`<< /Type /Pages /Kids [${kids}] /Count ${pages.length} /MediaBox [0 0 612 792] >>`);
  objects.push('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>');
  pages.forEach((words, i) => {
    const content = words ? `BT /F 40 Tf 72 600 Td (${words}) Tj ET` : '';
    objects.push(`<< /Type /Page /Parent 2 0 R /Contents ${first + 2 * i + 1} 0 R /Resources << /Font << /F 3 0 R >> >> >>`);
    objects.push(`<< /Length ${content.length} >>\nstream\n${content}\nendstream`);
  });
  const body = objects.map((o, i) => `${i + 1} 0 obj\n${o}\nendobj\n`).join('');
  return Buffer.from(`%PDF-1.7\n${body}trailer\n<< /Root 1 0 R >>\n%%EOF\n`);
}

const pdf = (name: string, pages: string[]) => ({ name: `${name}.pdf`, mimeType: 'application/pdf', buffer: pdfOf(pages) });
const documents = (page: Page) => page.getByRole('region', { name: /^Document \d+:/ });
const pagesOf = (page: Page, number: number) =>
  documents(page)
    .nth(number - 1)
    .getByRole('button', { name: /^Page \d+$/ });
const hasPages = (page: Page, number: number, pages: string[]) => expect(pagesOf(page, number)).toHaveText(pages);
const saved = (page: Page) => expect(page.locator('.cp-backhead-line')).toContainText('Saved');

/** Uploads a file at the Intake and answers the batch that opens, once its pages are read. */
async function upload(page: Page, request: APIRequestContext, file: ReturnType<typeof pdf>) {
  await page.goto('/intake');
  const input = page.locator('input[type="file"]').first();
  await input.setInputFiles(file);
  await page.waitForURL(/\/triage\/[0-9a-f-]{36}$/);
  const id = page.url().split('/').at(-1)!;
  const api = apiOf(request, 'dana');
  afterwards(async () => {
    const { documents: made } = await api.get<{ documents: { messageId: string }[] }>(`/api/triage/${id}`).catch(() => ({ documents: [] }));
    for (const d of made) await api.forget(d.messageId);
    await api.remove(`/api/triage/${id}`).catch(() => undefined);
  });
  type Reading = { files: { state: string }[] };
  await expect
    .poll(async () => (await api.get<Reading>(`/api/triage/${id}`)).files.map((f) => f.state), { timeout: WORK_MS })
    .toEqual(['Ready']);
  return id;
}

/** MSG-R-143 */
test('a scanned stack is split, sorted, named and filed as documents of the Intake', async ({ page, request }) => {
  await authenticate(page, 'dana');
  const name = unique('Stack');
  const id = await upload(page, request, pdf(name, ['One', 'Two', '', 'Three']));
  await expect(documents(page)).toHaveCount(1);
  await expect(page.getByRole('region', { name: 'Left out' })).toContainText('Blank');
  await pagesOf(page, 1).nth(1).click();
  await page.keyboard.press('Enter');
  await hasPages(page, 2, ['2', '4']);
  await pagesOf(page, 2)
    .last()
    .dragTo(pagesOf(page, 1).first(), { targetPosition: { x: 5, y: 40 } });
  await hasPages(page, 1, ['4', '1']);
  await hasPages(page, 2, ['2']);
  await page.getByRole('textbox', { name: 'Name of document 2' }).fill(`${name} letter`);
  await page.getByRole('combobox', { name: 'Reviewer of document 2' }).click();
  await page.getByRole('option', { name: 'Dana Whitfield' }).click();
  await saved(page);
  // Nothing is lost by a reload.
  await page.reload();
  await expect(page.getByRole('textbox', { name: 'Name of document 2' })).toHaveValue(`${name} letter`);
  await page.keyboard.press('Control+Enter');
  type Filing = { documents: { isFiled: boolean }[] };
  const isFiled = async () => (await apiOf(request, 'dana').get<Filing>(`/api/triage/${id}`)).documents.map((d) => d.isFiled);
  await expect.poll(isFiled, { timeout: WORK_MS }).toEqual([true, true]);
  await page.getByRole('link', { name: `${name} letter` }).click();
  await expect(page.getByRole('heading', { name: `${name} letter` })).toBeVisible();
  const original = page.getByRole('definition').filter({ hasText: `${name}.pdf` });
  await expect(original).toContainText('page 2');
  const [download] = await Promise.all([page.waitForEvent('download'), original.getByRole('button').click()]);
  expect(download.suggestedFilename()).toBe(`${name}.pdf`);
});
