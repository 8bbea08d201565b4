import type { Page } from '@playwright/test';
import { practice } from './practice';
import { apiOf, dialog, hold, readToast, reconfigure, refuse, toast } from './helpers';
import { expect, signIn, test } from './support';

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

test('people of a cancelled organization can only log out (SES-S-040, SES-R-116, SES-R-118, SES-R-119, SES-R-120)', async ({ page }) => {
  await signIn(page, 'colin');
  const shown = dialog(page, 'This organization is cancelled');
  await expect(shown).toContainText('contact a previous administrator');
  await expect(shown.getByRole('button')).toHaveCount(1);
  await button(page, 'Log out').click();
  await expect(page.getByRole('heading', { name: 'You are signed out' })).toBeVisible();
});

test('an administrator in the grace period is told of its end (SES-S-041, SES-R-121, SES-R-124, SES-R-125, SES-T-016)', async ({
  page,
}) => {
  await signIn(page, 'gwen');
  const shown = dialog(page, 'Your subscription is cancelled');
  await expect(shown).toContainText(/can still be used until (Today|[A-Z][a-z]{2} \d)/);
  await button(page, 'Close').click();
  await expect(shown).toHaveCount(0);
  await expect(page.getByRole('heading', { level: 1, name: 'Dashboard' })).toBeVisible();
  await page.reload();
  await expect(shown).toBeVisible();
  await button(page, 'Ok').click();
  await expect(page.getByRole('heading', { name: 'You are signed out' })).toBeVisible();
});

// The one time that this organization of the demonstration can be reactivated: the API cancels nothing at once.
test('an administrator reactivates a cancelled organization (SES-S-042, SES-S-043, SES-C-034, SES-C-035, SES-R-126, SES-R-128, SES-R-129, SES-R-131, SES-R-132, SES-R-133, SES-R-134, SES-R-136, SES-T-017, SES-T-018, SES-T-060)', async ({
  page,
}) => {
  // Without its plan it opens all the same.
  await page.route('**/api/subscriptionplans/fastspring/*', (route) => route.fulfill({ status: 500, json: {} }));
  await signIn(page, 'cora');
  const shown = dialog(page, 'Reactivate organization');
  await expect(shown).toContainText('Your plan can be chosen afterwards');
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await button(page, 'Cancel Reactivation').click();
  await expect(page.getByRole('heading', { name: 'You are signed out' })).toBeVisible();

  await signIn(page, 'cora');
  await expect(shown).toContainText('with the plan that it had: Standard');
  await expect(shown.getByRole('button', { name: /^Organization: Tarn Sleep Center/ })).toBeVisible();
  const request = page.waitForRequest((r) => r.url().endsWith('/api/subscriptionplans/reactivate'));
  const answerNow = await hold(page, '**/api/subscriptionplans/reactivate');
  await button(page, 'Request Reactivation').click();
  expect((await request).postDataJSON()).toEqual({ planId: expect.stringMatching(/^[0-9a-f-]{36}$/) as unknown });
  await expect(button(page, 'Request Reactivation')).toBeDisabled();
  answerNow();
  await expect(toast(page, 'Organization successfully reactivated.')).toBeVisible();
  await expect(shown).toHaveCount(0);
});

test('an administrator changes the plan, cancels with a reason and keeps the subscription (SES-C-031, SES-C-032, SES-C-033)', async ({
  page,
}) => {
  await signIn(page, 'sam');
  await page.getByRole('link', { name: 'Plan' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Plan' })).toBeVisible();
  const move = async (plan: string) => {
    await page.getByRole('radio', { name: plan }).check();
    await button(page, 'Change plan').click();
    await dialog(page, 'Change plan').getByRole('button', { name: 'Change plan' }).click();
    await readToast(page, 'Your plan has been changed.');
    await expect(page.getByRole('region', { name: 'Present plan' })).toContainText(plan);
  };
  await move('Professional');
  await move('Standard');
  await button(page, 'Cancel subscription').click();
  const cancel = dialog(page, 'Cancel subscription');
  await cancel.getByRole('button', { name: 'Cancel subscription' }).click();
  await expect(cancel.getByText('Please tell us why you are leaving.')).toBeVisible();
  await cancel.getByLabel('Why are you leaving?').fill('We close the practice.');
  await cancel.getByRole('button', { name: 'Cancel subscription' }).click();
  await expect(page.getByText(/Summit Orthopedics can be used until/)).toBeVisible();
  await button(page, 'Keep the subscription').click();
  await expect(toast(page, 'Organization successfully reactivated.')).toBeVisible();
  await expect(button(page, 'Cancel subscription')).toBeVisible();
});

test('whoever is no administrator does not see the plan', async ({ page }) => {
  await signIn(page, 'priya');
  await expect(page.getByRole('link', { name: 'Plan' })).toHaveCount(0);
  await page.goto('/account/settings/plan');
  await expect(page).toHaveURL(/\/unauthorized$/);
});

test('a plan without sending asks an administrator for an upgrade (SES-S-044, MSG-R-017, MSG-R-020, MSG-R-057, MSG-R-362, MSG-T-045, MSG-T-046, MSG-T-097, SES-R-057, SES-R-058, SES-R-138, SES-R-139, SES-R-140, SES-R-141)', async ({
  page,
  request,
}) => {
  const { subDomain, userName } = await practice(request, 'at work');
  const plans = await apiOf(request, 'ops').get<{ items: { id: string; name: string }[] }>('/api/organizations/plans');
  const planId = plans.items.find((p) => p.name === 'Stay Connected')!.id;
  await reconfigure(request, subDomain, () => ({ planId }));
  await signIn(page, userName);
  const release = page.getByRole('link', { name: 'Release', exact: true });
  await release.click();
  const shown = dialog(page, 'Upgrade your plan');
  await expect(shown).toContainText('we will contact you about the plans that do');
  await expect(page).toHaveURL(/\/account\/dashboard$/);
  await button(page, 'Not Now').click();
  await expect(shown).toHaveCount(0);
  await release.click();
  const call = /upgraderequest$/;
  await refuse(page, 'POST', call, 500, { message: 'It did not work.' });
  await button(page, 'Send Request').click();
  await expect(toast(page, 'It did not work.')).toBeVisible();
  await expect(shown).toBeVisible();
  await page.unroute(call);
  await button(page, 'Send Request').click();
  await expect(toast(page, 'Your plan upgrade request has been sent.')).toBeVisible();
  await expect(shown).toHaveCount(0);
});
