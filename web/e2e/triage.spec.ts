import type { Page } from '@playwright/test';
import { apiOf, dialog, unique } from './helpers';
import { afterwards, authenticate, expect, test } from './support';

/** A PDF whose pages say these words; no words make a blank page. Readers repair the missing table. */
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
const said = (page: Page) => page.locator('.tri-foot').getByRole('status');
const saved = (page: Page) => expect(page.locator('.cp-backhead-line')).toContainText('Saved');

/** Uploads files at the Intake and answers the batch that opens. */
async function upload(page: Page, ...files: ReturnType<typeof pdf>[]) {
  await page.goto('/intake');
  const input = page.locator('input[type="file"]').first();
  await input.setInputFiles(files);
  await page.waitForURL(/\/triage\/[0-9a-f-]{36}$/);
  const id = page.url().split('/').at(-1)!;
  const api = apiOf(page.request, 'dana');
  afterwards(async () => {
    const { documents: made } = await api.get<{ documents: { messageId: string }[] }>(`/api/triage/${id}`).catch(() => ({ documents: [] }));
    for (const d of made) await api.forget(d.messageId);
    await api.remove(`/api/triage/${id}`).catch(() => undefined);
  });
  await expect(documents(page).first()).toBeVisible({ timeout: 60_000 });
  return id;
}

/** MSG-R-143 */
test('a scanned stack is split, named and filed as documents of the Intake', async ({ page }) => {
  await authenticate(page, 'dana');
  const name = unique('Stack');
  await upload(page, pdf(name, ['One', 'Two', '', 'Three']));
  await expect(documents(page)).toHaveCount(1);
  await expect(page.getByRole('region', { name: 'Left out' })).toContainText('Blank');
  await pagesOf(page, 1).nth(1).click();
  await page.keyboard.press('Enter');
  await expect(documents(page)).toHaveCount(2);
  await hasPages(page, 2, ['2', '4']);
  await page.getByRole('textbox', { name: 'Name of document 2' }).fill(`${name} letter`);
  await page.getByRole('combobox', { name: 'Reviewer of document 2' }).click();
  await page.getByRole('option', { name: 'Dana Whitfield' }).click();
  await saved(page);
  // Nothing is lost by a reload.
  await page.reload();
  await expect(page.getByRole('textbox', { name: 'Name of document 2' })).toHaveValue(`${name} letter`);
  await page.keyboard.press('Control+Enter');
  await expect(page.getByRole('heading', { name: '2 documents in the Intake' })).toBeVisible({ timeout: 60_000 });
  await page.getByRole('link', { name: `${name} letter` }).click();
  await expect(page.getByRole('heading', { name: `${name} letter` })).toBeVisible();
  const original = page.getByRole('definition').filter({ hasText: `${name}.pdf` });
  await expect(original).toContainText('page 2, 4');
  const [download] = await Promise.all([page.waitForEvent('download'), original.getByRole('button').click()]);
  expect(download.suggestedFilename()).toBe(`${name}.pdf`);
});

test('pages are turned, merged, moved, left out and kept, and each step is undone', async ({ page }) => {
  await authenticate(page, 'dana');
  await upload(page, pdf(unique('Pages'), ['One', 'Two', 'Three', 'Four']));
  await pagesOf(page, 1).first().click();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await expect(documents(page)).toHaveCount(2);
  await expect(pagesOf(page, 2).first()).toBeFocused();
  await page.keyboard.press('Shift+ArrowRight');
  await expect(page.getByText('2 pages selected')).toBeVisible();
  await page.keyboard.press('r');
  await expect(said(page)).toHaveText('2 pages turned');
  await page.keyboard.press('[');
  await hasPages(page, 1, ['1', '2', '3', '4']);
  await page.keyboard.press('z');
  await page.keyboard.press('z');
  await page.keyboard.press('m');
  await expect(documents(page)).toHaveCount(1);
  await page.keyboard.press('z');
  await pagesOf(page, 2).first().click();
  await pagesOf(page, 2)
    .first()
    .dragTo(pagesOf(page, 1).first(), { targetPosition: { x: 5, y: 40 } });
  await hasPages(page, 1, ['3', '1', '2']);
  await pagesOf(page, 1).first().press('#');
  await expect(documents(page)).toHaveCount(2);
  await hasPages(page, 1, ['1', '2']);
  await page.getByRole('button', { name: 'Keep page 3' }).click();
  await hasPages(page, 1, ['1', '2', '3']);
  for (let i = 0; i < 4; i++) await page.getByRole('button', { name: 'Undo' }).click();
  await expect(documents(page)).toHaveCount(1);
  await expect(page.getByRole('button', { name: 'Undo' })).toBeDisabled();
  await page.getByRole('button', { name: 'Redo' }).click();
  await expect(documents(page)).toHaveCount(2);
});

test('a broken file among good ones is named, and the others go on', async ({ page }) => {
  await authenticate(page, 'dana');
  const name = unique('Good');
  await upload(page, pdf(name, ['One']), { ...pdf('Broken', []), buffer: Buffer.from('%PDF-1.7 and nothing else') });
  await expect(page.getByText('“Broken.pdf”: It is damaged and cannot be opened.')).toBeVisible();
  await page.goto('/intake');
  await page
    .locator('input[type="file"]')
    .first()
    .setInputFiles([{ name: 'Program.exe', mimeType: 'application/octet-stream', buffer: Buffer.from('MZ') }]);
  const refused = dialog(page, 'Uploaded');
  await expect(refused.getByRole('alert')).toHaveText('Your attachment file type exe is not supported');
  await refused.getByRole('button', { name: 'Close' }).last().click();
  await page.goto('/triage');
  await expect(page.getByRole('table', { name: 'Batches' })).toContainText(name);
});

test('files are dropped on the Intake', async ({ page }) => {
  await authenticate(page, 'dana');
  await page.goto('/intake');
  await expect(page.getByRole('button', { name: 'Upload' })).toBeVisible();
  const name = unique('Dropped');
  const files = await page.evaluateHandle(
    ({ bytes, file }) => {
      const data = new DataTransfer();
      data.items.add(new File([new Uint8Array(bytes)], file, { type: 'application/pdf' }));
      return data;
    },
    { bytes: [...pdfOf(['One'])], file: `${name}.pdf` },
  );
  await page.dispatchEvent('body', 'dragenter', { dataTransfer: files });
  await expect(page.getByText('Drop files to upload them')).toBeVisible();
  await page.dispatchEvent('body', 'drop', { dataTransfer: files });
  await page.waitForURL(/\/triage\/[0-9a-f-]{36}$/);
  await expect(page.getByRole('heading', { name: `${name}.pdf` })).toBeVisible();
  const id = page.url().split('/').at(-1)!;
  afterwards(() => apiOf(page.request, 'dana').remove(`/api/triage/${id}`));
});

test('two people on one batch: the second is told and loads it again', async ({ page }) => {
  await authenticate(page, 'dana');
  const name = unique('Shared');
  const id = await upload(page, pdf(name, ['One', 'Two']));
  const priya = apiOf(page.request, 'priya');
  const batch = await priya.get<{ parts: { name: string }[] }>(`/api/triage/${id}`);
  batch.parts[0]!.name = `${name} by Priya`;
  await priya.put(`/api/triage/${id}`, batch);
  await page.getByRole('textbox', { name: 'Name of document 1' }).fill('Mine');
  await expect(page.getByText('Somebody else has changed or filed this batch')).toBeVisible();
  await expect(page.getByRole('button', { name: /^File/ })).toBeDisabled();
  await page.getByRole('button', { name: 'Load it again' }).click();
  await expect(page.getByRole('textbox', { name: 'Name of document 1' })).toHaveValue(`${name} by Priya`);
});

/** MSG-R-366 */
test('where the plan has no triage, uploading asks for an upgrade', async ({ page }) => {
  await authenticate(page, 'dana');
  await page.route('**/api/users/profiledata', async (route) => {
    const response = await route.fetch();
    const profile = (await response.json()) as { uiResources?: object };
    await route.fulfill({ response, json: { ...profile, uiResources: { ...profile.uiResources, triage: ['plan-upgrade-prompt'] } } });
  });
  await page.goto('/intake');
  await page.getByRole('button', { name: 'Upload' }).click();
  await expect(dialog(page, /Upgrade your plan|Ask for an upgrade/)).toBeVisible();
});

test('a separator sheet is downloaded', async ({ page }) => {
  await authenticate(page, 'dana');
  await page.goto('/triage');
  await page.getByRole('button', { name: 'Separator sheet' }).click();
  const sheet = dialog(page, 'Separator sheet');
  await sheet.getByRole('textbox', { name: 'Label' }).fill('Outside records');
  const [download] = await Promise.all([page.waitForEvent('download'), sheet.getByRole('button', { name: 'Download' }).click()]);
  expect(download.suggestedFilename()).toBe('Separator sheet.pdf');
  await expect(sheet).toBeHidden();
});
