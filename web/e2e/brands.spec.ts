import type { Page } from '@playwright/test';
import { expect, isolated, signInByForm } from './support';

const colour = (page: Page) =>
  page.getByRole('button', { name: 'Sign in', exact: true }).evaluate((button) => getComputedStyle(button).backgroundColor);

isolated(
  'a brand is shown at its host name before and after sign-in, and to its people at every other (SES-R-001, MSG-R-010)',
  async ({ page, baseURL }) => {
    const { port } = new URL(baseURL!);
    await page.goto('/account/login');
    await expect(page).toHaveTitle('Sign in · Carepost');
    // Another origin: nothing of it goes to the host of before.
    const own = await page.context().newPage();
    await own.goto(`http://harborline.localhost:${port}/account/login`);
    await expect(own).toHaveTitle('Sign in · Harborline Exchange');
    await expect(own.getByText('Harborline Exchange').first()).toBeVisible();
    const usual = await colour(page);
    await expect.poll(() => colour(own)).not.toBe(usual);
    await own.close();

    await signInByForm(page, 'hollis');
    await expect(page).toHaveTitle(/ · Harborline Exchange$/);
    await page.reload();
    await expect(page).toHaveTitle(/ · Harborline Exchange$/);
  },
);
