import { expect, isolated, signIn, signInByForm, test } from './support';

test('a person without a session signs in and sees the page that was asked for; a reload keeps the session, and signing out ends it (SES-R-012, SES-R-013, SES-R-039, SES-R-041, SES-S-003, SES-S-023)', {
  tag: '@critical',
}, async ({ page }) => {
  const table = page.getByRole('table', { name: 'Intake messages' });
  await page.goto('/Intake/?view=unassigned');
  await expect(page).toHaveURL(/\/account\/login$/);
  await signInByForm(page, 'priya');
  await expect(page).toHaveURL(/\/intake\/?\?view=unassigned/i);
  await expect(table).toBeVisible();
  await page.reload();
  await expect(table).toBeVisible();
  await page.getByRole('button', { name: /^Profile:/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await expect(page.getByRole('heading', { name: 'You are signed out' })).toBeVisible();
  await page.goto('/intake');
  await expect(page).toHaveURL(/\/account\/login$/);
});

test('a user is refused the console, and the dashboard and unknown addresses lead home (SES-R-037, SES-R-038, SES-R-055, SES-R-301, SES-S-010, SES-S-026)', {
  tag: '@critical',
}, async ({ page }) => {
  await signIn(page, 'priya', '/admin/dashboard/messaging');
  await expect(page).toHaveURL(/\/unauthorized$/);
  for (const path of ['/account/dashboard', '/no/such/page']) {
    await page.goto(path);
    await expect(page).toHaveURL(/\/intake$/);
  }
  await expect(page.getByRole('table', { name: 'Intake messages' })).toBeVisible();
});

isolated('a browser that is too old is told so (SES-R-011, SES-S-022, MSG-S-010)', async ({ page }) => {
  await page.addInitScript(() => {
    Reflect.deleteProperty(Array.prototype, 'findLast');
  });
  await page.goto('/intake');
  await expect(page).toHaveURL(/\/unsupportedbrowser$/);
  await expect(page.getByRole('heading', { name: 'This browser is too old' })).toBeVisible();
});
