import type { APIRequestContext, Page } from '@playwright/test';
import { readFile } from 'node:fs/promises';
import { apiOf, ccda, dialog, pdf, receive, TEXT, unique } from './helpers';
import { authenticate, expect, isolated, signIn, test, WORK_MS } from './support';

/** The documents of a message, as the browser draws them. */

const attachment = (page: Page, name: string) => page.locator('.cp-att-open', { hasText: name });
const drawn = (page: Page) => page.locator('.react-pdf__Page canvas').first();
type File = { id: string; fileName: string; previewAvailable: string };
const filesOf = async (request: APIRequestContext, id: string) =>
  (await apiOf(request, 'dana').get<{ attachments: File[] }>(`/api/messages/${id}`)).attachments;

/** Has a file made into pages, which takes its time on a busy machine. */
async function previewed(request: APIRequestContext, id: string, name: string) {
  const file = async () => (await filesOf(request, id)).find(({ fileName }) => fileName === name)!;
  await apiOf(request, 'dana').put(`/api/messages/${id}/attachments/${(await file()).id}/generatePreview`);
  const state = async () => (await file()).previewAvailable;
  await expect.poll(state, { timeout: WORK_MS, message: 'the preview is made' }).toBe('Available');
}

isolated(
  'a PDF is enlarged, turned, searched, saved as it came, and printed in a window of its own (SES-S-027, SES-R-027, SES-R-028, MSG-S-012, MSG-R-045, MSG-R-046)',
  async ({ page, request, context }) => {
    await context.addInitScript(() => {
      window.print = () => document.documentElement.setAttribute('data-printed', '');
    });
    const file = pdf('Knee.pdf', ['Right knee pain since spring.']);
    const id = await receive(request, { subject: unique('To be read'), files: [file] });
    await signIn(page, 'dana', `/intake/${id}`);
    const tool = (name: string) => page.getByRole('toolbar', { name: 'Document tools' }).getByRole('button', { name });
    const size = async () => {
      const { width = 0, height = 0 } = (await drawn(page).boundingBox()) ?? {};
      return { width, shape: width === 0 ? 'none' : height > width ? 'upright' : 'lying' };
    };
    await expect(drawn(page)).toBeVisible();
    const before = await size();
    expect(before.shape).toBe('upright');
    await tool('Zoom in').click();
    await expect.poll(async () => (await size()).width).toBeGreaterThan(before.width);
    await tool('Rotate').click();
    await expect.poll(async () => (await size()).shape).toBe('lying');
    await tool('Find in document').click();
    const words = page.getByRole('textbox', { name: 'Find in document' });
    await words.fill('knee');
    await expect(page.locator('.react-pdf__Page mark')).toHaveText('knee');
    await words.fill('elbow');
    await expect(page.getByRole('search').getByRole('status')).toHaveText('Not found');

    const saved = page.waitForEvent('download');
    await tool('Download').click();
    expect((await saved).suggestedFilename()).toBe('Knee.pdf');
    expect(await readFile(await (await saved).path())).toEqual(file.buffer);

    const popup = page.waitForEvent('popup');
    await tool('Print').click();
    const paper = await popup;
    await expect(paper).toHaveURL(new RegExp(`/print\\?job=${id}\\.[0-9a-f-]{36}$`));
    await expect(paper.locator('html')).toHaveAttribute('data-printed', '');
    await expect(drawn(paper)).toBeVisible();
  },
);

test('text, clinical documents and damaged files are shown each in its way, and a clinical document is searched (MSG-S-035, MSG-R-119)', async ({
  page,
  request,
}) => {
  const broken = { ...pdf('Broken.pdf'), buffer: Buffer.from('%PDF-1.7\nnothing follows\n') };
  const id = await receive(request, { subject: unique('Several kinds'), files: [TEXT, ccda(), broken] });
  await previewed(request, id, 'Visit note.txt');
  await signIn(page, 'dana', `/intake/${id}`);
  await attachment(page, 'Visit note.txt').click();
  await expect(page.locator('.react-pdf__Page').getByText('Right knee pain since spring.')).toBeVisible();

  await attachment(page, 'Summary of care.xml').click();
  const document = page.frameLocator('iframe[title="Summary of care.xml"]');
  await expect(document.getByText('No known allergies.')).toBeVisible();
  await page.getByRole('button', { name: 'Find in document' }).click();
  await page.getByRole('textbox', { name: 'Find in document' }).fill('known allerg');
  await expect(document.locator('mark:target')).toHaveText('known allerg');
  await expect(page.getByRole('search').getByRole('status')).toHaveText('1 of 1');
  await page.getByRole('tab', { name: 'CDA Explorer' }).click();
  await expect(page.getByRole('navigation', { name: 'Sections' }).getByText('Allergies')).toBeVisible();

  await attachment(page, 'Broken.pdf').click();
  await expect(page.getByText('The file is damaged or not a PDF. Ask the sender for another copy.')).toBeVisible();
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download the file' }).click();
  expect(await readFile(await (await saved).path())).toEqual(broken.buffer);
});

test('a file becomes a PDF in place, and its original comes back (MSG-R-214)', async ({ page, request }) => {
  const id = await receive(request, { subject: unique('To be converted'), files: [TEXT] });
  await signIn(page, 'dana', `/intake/${id}`);
  const act = async (file: string, item: string) => {
    await page.getByRole('button', { name: `Actions for ${file}` }).click();
    await page.getByRole('menuitem', { name: item }).click();
  };
  const names = async () => (await filesOf(request, id)).map(({ fileName }) => fileName);
  await act('Visit note.txt', 'Convert to PDF');
  await expect.poll(names, { timeout: WORK_MS }).toEqual(['Visit note.pdf']);
  await expect(attachment(page, 'Visit note.pdf')).toBeVisible();
  await expect(page.locator('.react-pdf__Page').getByText('Right knee pain since spring.')).toBeVisible();
  await act('Visit note.pdf', 'Restore the original');
  await dialog(page, 'Restore Attachment').getByRole('button', { name: 'Restore' }).click();
  await expect(attachment(page, 'Visit note.txt')).toBeVisible();
  await expect.poll(names).toEqual(['Visit note.txt']);
});

test('on a phone document, patient and details are tabs, and the actions stay at the foot', async ({ page, request }) => {
  const id = await receive(request, { subject: unique('In the hand'), files: [pdf()] });
  await page.setViewportSize({ width: 390, height: 844 });
  await authenticate(page, 'dana');
  await page.goto(`/intake/${id}`);
  await expect(drawn(page)).toBeInViewport();
  const lastName = page.getByRole('textbox', { name: 'Last name' });
  const foot = page.getByRole('button', { name: 'Reply' });
  await expect(lastName).toBeHidden();
  const place = async () => (await foot.boundingBox())?.y;
  const before = await place();
  await page.getByRole('tab', { name: 'Patient' }).click();
  await expect(lastName).toBeInViewport();
  await expect(drawn(page)).toBeHidden();
  await page.getByRole('tab', { name: 'Details' }).click();
  await expect(attachment(page, 'Report.pdf')).toBeInViewport();
  await page.getByRole('heading', { name: 'Activity' }).scrollIntoViewIfNeeded();
  await expect(foot).toBeInViewport({ ratio: 1 });
  await expect.poll(place).toBe(before);
});
