import { test } from './ledger';
import { expect, signIn } from './support';

const remembered = 'carepost.redirectUrl';

test('what leads nowhere or is about signing in is not remembered for after the sign-in (SES-R-042 to SES-R-051)', async ({ page }) => {
  await page.goto('/account/login');
  for (const path of [
    '/unauthorized',
    '/access-denied',
    '/auth-error',
    '/callback',
    '/account/login',
    '/account/register',
    '/account/logout',
    '/?email=somebody@carepost.example',
    '/',
    '/admin',
    '/ADMIN',
  ]) {
    await page.goto(path);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    expect(await page.evaluate((key) => sessionStorage.getItem(key), remembered), path).toBeNull();
  }
});

test('a place that only begins like those is remembered, and returned to (SES-R-052)', async ({ page }) => {
  await page.goto('/admin/dashboard/messaging');
  await expect(page).toHaveURL(/\/account\/login$/);
  expect(await page.evaluate((key) => sessionStorage.getItem(key), remembered)).toBe('/admin/dashboard/messaging');
  await signIn(page, 'rita', page.url());
  await expect(page).toHaveURL(/\/admin\/dashboard\/messaging$/);
});

test('who is administrator and operator begins at the dashboard (SES-R-033)', async ({ page }) => {
  await page.route('**/api/users/profiledata', async (route) => {
    const answer = await route.fetch();
    const profile = (await answer.json()) as { roles: string[] };
    await route.fulfill({ response: answer, json: { ...profile, roles: ['SysAdmin', ...profile.roles] } });
  });
  await signIn(page, 'dana');
  await expect(page).toHaveURL(/\/account\/dashboard$/);
  // Both kinds of areas are offered.
  await expect(page.getByRole('link', { name: 'Organizations' })).toBeVisible();
});

test('a screen whose feature is off leads to the dashboard (SES-R-056)', async ({ page }) => {
  await page.route('**/api/features', (route) => route.fulfill({ json: { features: [] } }));
  await signIn(page, 'dana');
  await expect(page.getByRole('link', { name: 'Security' })).toBeVisible();
  await expect(page.getByRole('link', { name: 'Single sign-on' })).toHaveCount(0);
  await page.goto('/account/settings/sso');
  await expect(page).toHaveURL(/\/account\/dashboard$/);
});

test('a browser that is too old is told so (SES-R-011, SES-S-022)', async ({ page }) => {
  await page.addInitScript(() => {
    Reflect.deleteProperty(Array.prototype, 'findLast');
  });
  await page.goto('/intake');
  await expect(page).toHaveURL(/\/unsupportedbrowser$/);
  await expect(page.getByRole('heading', { name: 'This browser is too old' })).toBeVisible();
});
