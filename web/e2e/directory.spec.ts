import type { Page } from '@playwright/test';
import { dialog } from './helpers';
import { expect, isolated, signIn } from './support';

const finder = (page: Page) => dialog(page, 'Find Provider');
const search = (page: Page) => finder(page).getByRole('button', { name: 'Search', exact: true });
const rows = (page: Page) => finder(page).locator('tbody tr');
const tab = (page: Page, name: RegExp) => finder(page).getByRole('tab', { name });

isolated(
  'somebody of another state is found, copied, and taken as recipient of a release (SES-R-158, SES-R-168, SES-R-171, MSG-R-075, MSG-S-052)',
  async ({ page, context }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await signIn(page, 'priya', '/release/new');
    await page.getByRole('button', { name: 'Find Provider' }).click();
    await finder(page).getByRole('combobox', { name: 'State' }).fill('ohi');
    await page.keyboard.press('Tab');
    await search(page).click();
    // More than a page is found: the list reads on at its end.
    await expect(tab(page, /^Providers \(\d\d\)$/)).toBeVisible();
    await expect(rows(page)).toHaveCount(10);
    const list = finder(page).getByRole('region', { name: 'Providers' });
    await expect(list).toHaveCSS('max-height', '275px');
    const end = () => list.evaluate((e) => e.scrollTo(0, e.scrollHeight));
    const total = Number(/\d+/.exec(await tab(page, /^Providers/).innerText())![0]);
    for (let shown = 10; shown < total; shown += 10) {
      await end();
      await expect(rows(page)).toHaveCount(Math.min(total, shown + 10));
    }
    const row = rows(page).filter({ hasText: 'Aldersey, Jun M' });
    await row.getByRole('button', { name: 'Copy jm.aldersey@trivalley.direct.example' }).click();
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe('jm.aldersey@trivalley.direct.example');
    await finder(page).getByRole('button', { name: 'Close' }).last().click();

    await page.getByRole('button', { name: 'Directory', exact: true }).click();
    await finder(page).getByLabel('Organization name').fill('summit ortho');
    await search(page).click();
    await tab(page, /^Organizations \([1-9]/).click();
    await rows(page).filter({ hasText: 'Summit Orthopedics' }).getByRole('checkbox').check();
    await finder(page).getByRole('button', { name: 'Select' }).click();
    await expect(page.locator('.cp-tag').filter({ hasText: '@summit-ortho.direct.carepost.example' })).toBeVisible();
  },
);
