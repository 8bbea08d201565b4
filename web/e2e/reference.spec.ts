import type { Page } from '@playwright/test';
import { expect, signIn, test } from './support';

/** The API requests of a page, in order. */
function asked(page: Page) {
  const calls: { name: string; origin: string }[] = [];
  page.on('request', (request) => {
    const { pathname, origin } = new URL(request.url());
    if (pathname.startsWith('/api/')) calls.push({ name: `${request.method()} ${pathname}`, origin });
  });
  return calls;
}
const nav = (page: Page) => page.getByRole('navigation', { name: 'Main' });

test('what all screens need is loaded once from the address of the page, before the first of them, and the frame stays while they change (SES-S-024, SES-R-015, SES-R-016, SES-R-018, SES-R-019, SES-R-020, SES-R-022, SES-R-314, MSG-R-011, MSG-R-012)', async ({
  page,
  baseURL,
}) => {
  await signIn(page, 'priya');
  await page.getByLabel('Rows per page').selectOption('50');
  await page.evaluate(() => sessionStorage.clear());
  const calls = asked(page);
  const times = (pattern: RegExp) => calls.filter(({ name }) => pattern.test(name)).length;
  await page.goto('/intake');
  await expect(page.getByLabel('Rows per page')).toHaveValue('50');
  const needed = [
    /^GET \/api\/users\/profiledata$/,
    /^GET \/api\/features$/,
    /^GET \/api\/attachments\/extensions$/,
    /^GET \/api\/entitysettings\/Brand\//,
  ];
  const place = (pattern: RegExp) => calls.findIndex(({ name }) => pattern.test(name));
  for (const call of needed) {
    expect(times(call), String(call)).toBe(1);
    expect(place(call), String(call)).toBeLessThan(place(/^POST \/api\/(intake|messages)$/));
  }
  await nav(page).evaluate((frame) => frame.setAttribute('data-same', ''));
  await nav(page).getByRole('link', { name: 'Release', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Release' })).toBeVisible();
  await expect(nav(page)).toHaveAttribute('data-same', '');
  for (const call of needed) expect(times(call), String(call)).toBe(1);
  // The settings of the brand are kept for the browser session.
  await page.goto('/intake');
  await expect(page.getByRole('heading', { level: 1, name: 'Intake' })).toBeVisible();
  expect(times(/Brand/)).toBe(1);
  expect([...new Set(calls.map(({ origin }) => origin))]).toEqual([new URL(baseURL!).origin]);
});

test('the sheet reaches down to 10 px above the end of the window (SES-S-073, SES-R-371)', async ({ page }) => {
  await signIn(page, 'priya');
  for (const height of [700, 1000]) {
    await page.setViewportSize({ width: 1440, height });
    const sheet = page.locator('.cp-sheet');
    await expect
      .poll(async () => {
        const box = (await sheet.boundingBox())!;
        return height - box.y - box.height;
      })
      .toBe(10);
  }
});
