import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { apiOf, dialog, pdf, receive, toast, toggle, unique } from './helpers';
import { afterwards, authenticate, expect, signIn, test } from './support';

const NOBODY = 'nobody@summit-ortho.direct.carepost.example';
const row = (page: Page, subject: string) => page.locator('[aria-label="Undelivered messages"] tbody tr[data-opens]', { hasText: subject });
const act = async (page: Page, subject: string, name: string) => {
  await row(page, subject)
    .getByRole('button', { name: /^Actions for/ })
    .click();
  await page.getByRole('menuitem', { name, exact: true }).click();
};

test('what did not arrive stands in one list with its reason, is sent to somebody else, and leaves when it is acknowledged', async ({
  page,
  request,
}) => {
  const subject = unique('To nobody');
  await apiOf(request, 'dana').send({ subject, to: [NOBODY], files: [pdf()] });
  await signIn(page, 'dana', '/release');
  await page.getByRole('link', { name: /^Undelivered/ }).click();
  await expect(row(page, subject)).toContainText("Nobody has this address at the recipient's mail system.", { timeout: 45_000 });
  await act(page, subject, 'Change recipient');
  await expect(page).toHaveURL(/\/release\/draft\//);
  await expect(page.getByRole('textbox', { name: 'Subject' })).toHaveValue(subject);
  await expect(page.getByText('Report.pdf').first()).toBeVisible();
  await expect(page.getByText(NOBODY)).toHaveCount(0);
  const draft = page.url().split('/').at(-1)!;
  await page.goto('/release/failed');
  await act(page, subject, 'Acknowledge');
  await expect(row(page, subject)).toHaveCount(0);
  await apiOf(request, 'dana').forget(draft);
});

test('a bulk act says for each message why it was refused, and does the rest', async ({ page, request }) => {
  const words = unique('Bulk');
  const kept = await receive(request, { subject: `${words} kept` });
  const gone = await receive(request, { subject: `${words} gone` });
  await authenticate(page, 'dana');
  await page.goto('/intake');
  await page.getByLabel('Filter messages').fill(words);
  const rows = page.locator('[aria-label="Intake messages"] tbody tr[data-opens]');
  await expect(rows).toHaveCount(2);
  await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
  await apiOf(request, 'dana').remove(`/api/messages/${gone}`);
  await page.getByRole('toolbar', { name: 'Selected rows' }).getByRole('button', { name: 'Mark as read' }).click();
  await expect(toast(page, '1 message marked as read.')).toBeVisible();
  const refused = dialog(page, '1 message not marked as read');
  await expect(refused.getByText('There is no such message any more.')).toBeVisible();
  await refused.getByRole('button', { name: 'Close', exact: true }).last().click();
  const { isRead } = await apiOf(request, 'dana').get<{ isRead: boolean }>(`/api/messages/${kept}`);
  expect(isRead).toBe(true);
});

test('the activity of the practice is narrowed to an event and a person', async ({ page, request }) => {
  const subject = unique('Active');
  const id = await receive(request, { subject });
  await apiOf(request, 'dana').put(`/api/messages/${id}/process`, { isProcessed: true, acceptsGaps: true });
  await signIn(page, 'dana', '/account/activity');
  const rowsOf = page.locator('[aria-label="Activity"] tbody tr', { hasText: subject });
  await expect(rowsOf).toHaveCount(2);
  await page.getByRole('button', { name: 'Event', exact: true }).click();
  await toggle(page.getByRole('checkbox', { name: 'Processed' }));
  await page.keyboard.press('Escape');
  await expect(rowsOf).toHaveCount(1);
  await expect(rowsOf).toContainText('Dana Whitfield');
  await rowsOf.click();
  await expect(page).toHaveURL(new RegExp(`/intake/${id}`));
});

test('an administrator reads in the audit trail who did what with the intake rules', async ({ page, request }) => {
  const name = unique('Audited');
  const { id } = await apiOf(request, 'dana').post<{ id: string }>('/api/settings/intakerules', {
    name,
    isEnabled: false,
    tags: ['audited'],
  });
  afterwards(() => apiOf(request, 'dana').remove(`/api/settings/intakerules/${id}`));
  await signIn(page, 'dana', '/account/activity');
  await page.getByRole('button', { name: 'Audit trail' }).click();
  const trail = page.getByRole('dialog', { name: 'Audit trail' });
  await trail.getByRole('combobox', { name: 'About' }).click();
  await page.getByRole('option', { name: 'Intake rules' }).click();
  const made = trail.getByRole('table', { name: 'Activity' }).locator('tbody tr', { hasText: 'Created' });
  await expect(made.first()).toContainText('Dana Whitfield');
  const saving = page.waitForEvent('download');
  await trail.getByRole('button', { name: 'Download' }).click();
  const file = await (await saving).path();
  expect(await readFile(file, 'utf8')).toMatch(new RegExp(`,Created,.*,intakerule,${name},${id}`));
});
