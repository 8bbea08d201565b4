import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { APIRequestContext, Page } from '@playwright/test';
import { dialog, field } from './helpers';
import { account, afterwards, expect, PASSWORD, signIn, test } from './support';

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

/** Takes Quarry Laboratory's connection away, if there is one. */
async function disconnect(request: APIRequestContext) {
  const answer = await request.post('/api/account/login', { data: { userName: account('lena'), password: PASSWORD } });
  const { accessToken } = (await answer.json()) as { accessToken: string };
  await request.delete('/api/account/settings/sso', { headers: { Authorization: `Bearer ${accessToken}` } });
}

/** Lena lets the people of her laboratory in by the provider. */
async function connect(page: Page) {
  await signIn(page, 'lena', '/account/settings/sso');
  const redirect = page.getByText(/\/callback\/[0-9a-f-]{36}$/);
  await expect(redirect).toBeVisible();
  await field(page, 'Provider address').fill(await startProvider(await redirect.innerText()));
  await field(page, 'Client ID').fill('carepost');
  await page.getByRole('textbox', { name: 'Client secret' }).fill(SECRET);
  await field(page, 'Connection name').fill('Quarry-EHR');
  await button(page, 'Save single sign-on').click();
  await expect(page.getByText('/account/login/quarry-ehr')).toBeVisible();
}

/** The provider's own page. */
async function atProvider(page: Page, name: string) {
  await page.getByLabel('Name').fill(name);
  await button(page, 'Go on').click();
}

test('people sign in by the provider of their organization, and out again (SES-S-002, SES-S-012, SES-S-013, SES-R-040, SES-R-310, SES-R-373)', {
  tag: '@critical',
}, async ({ page, browser, baseURL, request }) => {
  await disconnect(request);
  afterwards(() => disconnect(request));
  await connect(page);
  // The pages of the provider are another site.
  const context = await browser.newContext({ baseURL, reducedMotion: 'reduce' });
  const jo = await context.newPage();

  await jo.goto('/release?view=drafts&ssoConnection=Quarry-EHR');
  await button(jo, 'No').click();
  await expect(jo.getByText('The sign-in provider did not sign you in.')).toBeVisible();
  await expect(jo).toHaveURL(/\/auth-error$/);
  await button(jo, 'Try again').click();
  await button(jo, 'Continue with quarry-ehr').click();
  await atProvider(jo, 'nobody');
  await expect(jo.getByText('There is no account for you in this organization.')).toBeVisible();

  await context.clearCookies();
  await jo.goto('/release?view=drafts&ssoConnection=Quarry-EHR');
  await atProvider(jo, 'jo');
  await expect(jo).toHaveURL(/\/release\?view=drafts/);

  await jo.goto('/account/logout');
  await expect(jo).toHaveURL(/\/account\/logout\?ssoConnection=quarry-ehr$/);
  await expect(title(jo, 'You are signed out')).toBeVisible();
  await button(jo, 'Sign in again').click();
  await button(jo, 'Continue with quarry-ehr').click();
  await expect(jo).toHaveURL(/\/intake/);

  await jo.goto('/account/profile');
  await expect(jo.getByText('You signed in with single sign-on.')).toBeVisible();
  await page.reload();
  await expect(page.getByText('1 person signed in with it.')).toBeVisible();
  await button(page, 'Remove').click();
  await dialog(page, 'Remove single sign-on').getByRole('button', { name: 'Remove' }).click();
  await expect(jo).toHaveURL(/\/account\/login/);
  await context.close();
});
