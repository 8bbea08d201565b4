import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Download, Page } from '@playwright/test';
import { apiOf, dialog, LARKFIELD, receive, SUMMIT, TEXT, unique } from './helpers';
import { afterwards, expect, signIn, test, WORK_MS } from './support';

const textOf = async (download: Download) => readFile(await download.path(), 'utf8');
/** The file that a press gives. */
async function saved(page: Page, name: string | RegExp) {
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name, exact: true }).click()]);
  return file;
}
const asDocument = (page: Page) => page.getByRole('radio', { name: 'Document to keep (PDF)' }).check();

test('what arrives stands in the recent activity at once, and in the activity report as a table and as a document (MSG-C-016, MSG-C-017, SES-C-050, SES-R-356)', async ({
  page,
  request,
}) => {
  await signIn(page, 'dana');
  const recent = page.getByRole('region', { name: 'Recent activity' });
  await expect(recent).toBeVisible();
  const subject = unique('Activity');
  const id = await receive(request, { subject });
  const own = recent.getByRole('listitem').filter({ hasText: subject });
  await expect(own).toContainText('Received');

  await recent.getByRole('button', { name: 'Activity report' }).click();
  const table = await saved(page, 'Download');
  expect(table.suggestedFilename()).toMatch(/^carepost_activity_\d{8}T\d{6}Z\.csv$/);
  const lines = (await textOf(table)).split('\r\n');
  expect(lines[0]).toBe('Time,Event,Direction,Source,From,To,User,Message ID');
  const line = lines.find((text) => text.endsWith(id));
  expect(line).toContain(',Received,Intake,DirectMessage,');
  expect(line).toContain(LARKFIELD);
  await expect(dialog(page, 'Activity report')).toBeHidden();

  await recent.getByRole('button', { name: 'Activity report' }).click();
  await asDocument(page);
  const document = await saved(page, 'Download');
  expect(document.suggestedFilename()).toMatch(/Z\.pdf$/);
  expect((await textOf(document)).startsWith('%PDF')).toBe(true);

  await own.getByRole('link').click();
  await expect(page).toHaveURL(new RegExp(`/intake/${id}$`));
});

test('to whom documents of a patient went is a table, and a document to keep', async ({ page, request }) => {
  // Names that are nearly the same count as one patient's, misspelt.
  const [subject, lastName] = [unique('Disclosed'), `Halloran ${randomUUID().slice(0, 8)}`];
  const patient = { firstName: 'Bridget', lastName, birthDate: '1979-07-02', gender: 'F' };
  const id = await apiOf(request, 'dana').send({ subject, to: [SUMMIT], patient, files: [TEXT] });
  await apiOf(request, 'sam').received(subject);
  await signIn(page, 'dana', '/account/activity');
  const ask = async () => {
    await page.getByRole('button', { name: 'Disclosures of a patient' }).click();
    const box = dialog(page, 'Disclosures of a patient');
    await box.getByLabel('Last name').fill(lastName);
    await box.getByLabel('First name').fill('Bridget');
    await box.getByRole('textbox', { name: 'Date of birth' }).fill('7/2/1979');
  };
  await ask();
  const [, line, ...rest] = (await textOf(await saved(page, 'Download'))).split('\r\n');
  for (const part of [SUMMIT, `"${lastName}, Bridget"`, subject, TEXT.name, id]) expect(line).toContain(part);
  expect(rest).toEqual(['']);
  await expect(dialog(page, 'Disclosures of a patient')).toBeHidden();
  await ask();
  await asDocument(page);
  expect((await textOf(await saved(page, 'Download'))).startsWith('%PDF')).toBe(true);
});

test('who only reads reports finds them and the health of messaging, and nothing else of the console (ADA-S-031, ADB-R-003, ADB-R-006, SES-S-009, SES-R-301, SES-R-303)', async ({
  page,
}) => {
  await signIn(page, 'rita');
  await page.getByRole('link', { name: 'Reports', exact: true }).click();
  await expect(page).toHaveURL(/\/admin\/reports$/);
  const addresses = await textOf(await saved(page, /^Direct Addresses/));
  expect(addresses).toContain('Organization ID,Organization,Subdomain,Direct Address,Name');
  expect(addresses).toContain(LARKFIELD);
  await page.goto('/admin/dashboard/messaging');
  await expect(page.getByRole('rowheader', { name: 'Direct outbound' })).toBeVisible();
  for (const path of ['/admin/organizations', '/admin/organizationspecialties', '/admin/integrationswhitelist']) {
    await page.goto(path);
    await expect(page).toHaveURL(/\/unauthorized$/);
  }
});

test('a long report is made in the background, and appears where it was asked for (ADA-S-032)', async ({ page, request }) => {
  const ops = apiOf(request, 'ops');
  await signIn(page, 'ops', '/admin/generatedreports');
  await page.getByRole('button', { name: 'Generate' }).click();
  const box = dialog(page, 'Generate report');
  await box.getByRole('combobox', { name: 'Report' }).click();
  await page.getByRole('option', { name: 'Messages' }).click();
  const [answer] = await Promise.all([
    page.waitForResponse((r) => r.request().method() === 'POST' && r.url().endsWith('/api/admin/generated_reports')),
    box.getByRole('button', { name: 'Generate' }).click(),
  ]);
  const { id } = (await answer.json()) as { id: string };
  afterwards(() => ops.remove(`/api/admin/generated_reports/${id}`));
  type Report = { id: string; state: string };
  const state = async () =>
    (await ops.get<{ items: Report[] }>('/api/admin/generated_reports?sortDir=desc&pageSize=100&pageNumber=1')).items.find(
      (report) => report.id === id,
    )?.state;
  await expect.poll(state, { timeout: WORK_MS }).toBe('Ready');
  const file = page.getByRole('button', { name: /^messages-\d{4}-\d\d-\d\d\.csv$/ }).first();
  const [download] = await Promise.all([page.waitForEvent('download'), file.click()]);
  expect(download.suggestedFilename()).toMatch(/^carepost_messages-.*Z\.csv$/);
  expect(await textOf(download)).toContain('Time,Event,Organization ID,Organization,Direction,User,Message ID');
});
