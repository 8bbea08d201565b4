import type { Page } from '@playwright/test';
import { apiOf, dialog, reconfigure } from './helpers';
import { practice } from './practice';
import { expect, signIn, test } from './support';

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

test('an administrator changes the plan and cancels it, is told of the end at every sign-in, and keeps the subscription (SES-R-121)', async ({
  page,
  request,
}) => {
  const { name, userName } = await practice(request, 'at work');
  await signIn(page, userName, '/account/settings/plan');
  await page.getByRole('radio', { name: 'Professional' }).check();
  await button(page, 'Change plan').click();
  await dialog(page, 'Change plan').getByRole('button', { name: 'Change plan' }).click();
  await expect(page.getByRole('region', { name: 'Current plan' })).toContainText('Professional');
  await button(page, 'Cancel subscription').click();
  const cancel = dialog(page, 'Cancel subscription');
  await cancel.getByLabel('Why are you leaving?').fill('We close the practice.');
  await cancel.getByRole('button', { name: 'Cancel subscription' }).click();
  await expect(page.getByText(`The subscription is cancelled. ${name} can be used until`)).toBeVisible();
  await page.reload();
  const notice = dialog(page, 'Your subscription is cancelled');
  await expect(notice).toContainText(/can still be used until (Today|[A-Z][a-z]{2} \d)/);
  await button(page, 'Keep working').click();
  await button(page, 'Keep the subscription').click();
  await expect(button(page, 'Cancel subscription')).toBeVisible();
  await expect(page.getByRole('region', { name: 'Current plan' })).toContainText('Professional');
  await page.reload();
  await expect(button(page, 'Cancel subscription')).toBeVisible();
  await expect(notice).toBeHidden();
});

test('a plan without sending keeps an administrator where they are and asks for an upgrade (MSG-R-017, MSG-R-057, SES-R-057, SES-R-058, SES-R-140)', async ({
  page,
  request,
}) => {
  const { subDomain, userName } = await practice(request, 'at work');
  const plans = await apiOf(request, 'ops').get<{ items: { id: string; name: string }[] }>('/api/organizations/plans');
  const planId = plans.items.find((p) => p.name === 'Stay Connected')!.id;
  await reconfigure(request, subDomain, () => ({ planId }));
  await signIn(page, userName);
  await page.getByRole('link', { name: 'Release', exact: true }).click();
  const asked = dialog(page, 'Upgrade your plan');
  await expect(asked).toBeVisible();
  await expect(page).toHaveURL(/\/account\/dashboard$/);
  const sent = page.waitForResponse((r) => r.url().endsWith('/upgraderequest'));
  await button(page, 'Send Request').click();
  expect((await sent).ok()).toBe(true);
  await expect(asked).toBeHidden();
});
