import type { Page } from '@playwright/test';
import { receive, toggle, unique } from './helpers';
import { expect, signIn, test } from './support';

const rows = (page: Page) => page.getByRole('table', { name: 'Intake messages' }).locator('tbody tr[data-opens]');

test('a reload keeps sorting, page size, filters and words of the list, and no words stand in the address', async ({ page }) => {
  await signIn(page, 'dana', '/intake');
  const words = unique('Nowhere');
  await page.getByRole('columnheader', { name: 'Status' }).getByRole('button').click();
  await expect(page).toHaveURL(/sort=status/);
  await page.getByLabel('Rows per page').selectOption('25');
  await expect(page).toHaveURL(/size=25/);
  await page.getByRole('button', { name: 'Source', exact: true }).click();
  await toggle(page.getByRole('checkbox', { name: 'Fax' }));
  await page.keyboard.press('Escape');
  const asked = page.waitForRequest((r) => r.url().endsWith('/api/intake') && Boolean(r.postData()?.includes(words)));
  await page.getByLabel('Filter messages').fill(words);
  await asked;
  const nothing = page.getByRole('heading', { name: 'No message matches these filters' });
  await expect(nothing).toBeVisible();
  await page.reload();
  await expect(nothing).toBeVisible();
  await expect(page.getByLabel('Filter messages')).toHaveValue(words);
  await expect(page).toHaveURL(/source=Fax/);
  await expect(page).not.toHaveURL(/Nowhere/);
  await page.getByRole('button', { name: 'Clear filters' }).last().click();
  await expect(page).not.toHaveURL(/source=/);
  await expect(rows(page).first()).toBeVisible();
  await expect(page.getByRole('columnheader', { name: 'Status' })).toHaveAttribute('aria-sort', 'descending');
  await expect(page.getByLabel('Rows per page')).toHaveValue('25');
});

test('a message that arrives is announced without a reload, and its row comes when asked for', async ({ page, request }) => {
  await signIn(page, 'priya', '/intake');
  await expect(rows(page).first()).toBeVisible();
  const subject = unique('Arrived meanwhile');
  await receive(request, { subject });
  const arrived = page.getByRole('button', { name: /^\d+ new$/ });
  const row = rows(page).filter({ hasText: subject });
  await expect(arrived).toBeVisible();
  await expect(row).toHaveCount(0);
  // The first to be announced may be another one.
  await expect(async () => {
    await arrived.click({ timeout: 1000 });
    await expect(row).toBeVisible({ timeout: 2000 });
  }).toPass();
});

test('on a phone the list becomes cards, and a menu leads elsewhere', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await signIn(page, 'dana', '/intake');
  await expect(page.getByRole('list', { name: 'Intake messages' }).getByRole('listitem').first()).toBeVisible();
  await page.getByRole('button', { name: 'Menu' }).click();
  await page.getByRole('link', { name: 'Release', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Release', exact: true })).toBeVisible();
});
