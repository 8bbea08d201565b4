import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Page } from '@playwright/test';
import { dialog, field, toast } from './helpers';
import { expect, signIn, test } from './support';

const SECRET = 'a secret of the test';
const title = (page: Page, text: string) => page.getByRole('heading', { level: 1, name: text });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

let provider: ChildProcess | undefined;
test.afterEach(() => {
  provider?.kill();
});

/** Starts a real OpenID Connect provider; answers its address. */
async function startProvider(redirect: string): Promise<string> {
  const started = spawn('node', [new URL('sign-in-provider.mjs', import.meta.url).pathname, redirect], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  provider = started;
  const lines = createInterface(started.stdout)[Symbol.asyncIterator]();
  return (await lines.next()).value as string;
}

/** Lena lets the people of her laboratory in by the provider. */
async function connect(page: Page) {
  await signIn(page, 'lena');
  await page.getByRole('link', { name: 'Single sign-on' }).click();
  await expect(title(page, 'Single sign-on')).toBeVisible();
  await button(page, 'Save single sign-on').click();
  await expect(page.getByText('Please use 2 to 40 lower-case letters, digits and hyphens.')).toBeVisible();
  const redirect = await page.getByText(/\/callback\/[0-9a-f-]{36}$/).textContent();
  const issuer = await startProvider(redirect!);
  await field(page, 'Provider address').fill('http://127.0.0.1:9');
  await field(page, 'Client ID').fill('carepost');
  await page.getByRole('textbox', { name: 'Client secret' }).fill(SECRET);
  await field(page, 'Connection name').fill('Quarry-EHR');
  await button(page, 'Save single sign-on').click();
  await expect(page.getByText('There is no sign-in provider at this address, or it cannot be reached from here.')).toBeVisible();
  await field(page, 'Provider address').fill(issuer);
  await button(page, 'Save single sign-on').click();
  await expect(toast(page, 'The single sign-on was saved.')).toBeVisible();
  await expect(page.getByText('/account/login/quarry-ehr')).toBeVisible();
  await expect(page.getByRole('textbox', { name: 'Client secret' })).toHaveValue('');
}

/** The provider's own page. */
async function atProvider(page: Page, name: string) {
  await page.getByLabel('Name').fill(name);
  await button(page, 'Go on').click();
}

test('people sign in by the provider of their organization, and out again (SES-S-002, SES-S-012, SES-S-013, SES-R-040, SES-R-310, SES-R-373)', async ({
  page,
  browser,
  baseURL,
}) => {
  await connect(page);
  // The pages of the provider are another site.
  const context = await browser.newContext({ baseURL, reducedMotion: 'reduce' });
  const jo = await context.newPage();

  await jo.goto('/release?view=drafts&ssoConnection=Quarry-EHR');
  await button(jo, 'No').click();
  await expect(jo.getByRole('heading', { name: 'Sign-in did not work' })).toBeVisible();
  await expect(jo.getByText('The sign-in provider did not sign you in.')).toBeVisible();
  await expect(jo).toHaveURL(/\/auth-error$/);
  await button(jo, 'Try again').click();
  await expect(jo).toHaveURL(/\/account\/login\/quarry-ehr$/);
  await button(jo, 'Continue with quarry-ehr').click();
  await atProvider(jo, 'nobody');
  await expect(jo.getByText('There is no account for you in this organization.')).toBeVisible();

  await context.clearCookies();
  await jo.goto('/release?view=drafts&ssoConnection=Quarry-EHR');
  await atProvider(jo, 'jo');
  await expect(jo).toHaveURL(/\/release\?view=drafts/);
  expect(await jo.evaluate(() => sessionStorage.getItem('carepost.ssoConnection'))).toBe('quarry-ehr');

  await jo.goto('/account/logout');
  await expect(jo).toHaveURL(/\/account\/logout\?ssoConnection=quarry-ehr$/);
  await expect(jo.getByRole('heading', { name: 'You are signed out' })).toBeVisible();
  await button(jo, 'Sign in again').click();
  await button(jo, 'Continue with quarry-ehr').click();
  await expect(jo).toHaveURL(/\/intake/);

  await jo.goto('/account/profile');
  await expect(title(jo, 'Profile')).toBeVisible();
  await expect(jo.getByText('You signed in by single sign-on.')).toBeVisible();
  await page.reload();
  await expect(page.getByText('1 person signed in by it.')).toBeVisible();
  await button(page, 'Remove').click();
  await dialog(page, 'Remove single sign-on').getByRole('button', { name: 'Remove' }).click();
  await expect(toast(page, 'The single sign-on was removed.')).toBeVisible();
  await expect(jo).toHaveURL(/\/account\/login/);
  await context.close();
});

test('without a connection of that name the sign-in page says so, and offers the password (SES-S-002)', async ({ page }) => {
  await page.goto('/account/login/nowhere');
  await button(page, 'Continue with nowhere').click();
  await expect(page.getByText('There is no single sign-on of this name.')).toBeVisible();
  await page.goto('/account/logout');
  await expect(title(page, 'You are signed out')).toBeVisible();
  await page.goto('/account/login/nowhere');
  await page.getByRole('link', { name: 'Sign in with a password' }).click();
  await expect(page).toHaveURL(/\/account\/login$/);
  await expect(button(page, 'Sign in')).toBeVisible();
});
