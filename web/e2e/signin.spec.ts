import { createHmac } from 'node:crypto';
import type { APIRequestContext, Page } from '@playwright/test';
import { test as plain } from '@playwright/test';
import { apiOf, dialog, field, pick, readToast, refuse, toast } from './helpers';
import { account, authenticate, expect, isolated, PASSWORD, signIn, signInByForm, test } from './support';

// The people of Quarry Laboratory try out here what would get in the way of others.

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' });
const title = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });

/** The code of an authenticator app (RFC 6238) so many seconds from now. */
function appCode(secret: string, seconds = 0): string {
  const bits = [...secret.replace(/\s/g, '')]
    .map((c) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(c).toString(2).padStart(5, '0'))
    .join('');
  const key = Buffer.from(bits.match(/.{8}/g)!.map((b) => Number.parseInt(b, 2)));
  const step = Buffer.alloc(8);
  step.writeBigUInt64BE(BigInt(Math.floor((Date.now() / 1000 + seconds) / 30)));
  const mac = createHmac('sha1', key).update(step).digest();
  return String((mac.readUInt32BE(mac.at(-1)! & 15) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}

async function openProfile(page: Page) {
  await button(page, /^Profile:/).click();
  await page.getByRole('menuitem', { name: 'Profile', exact: true }).click();
  await expect(title(page, 'Profile')).toBeVisible();
}

async function firstStep(page: Page, name: string, password = PASSWORD, path = '/account/login') {
  await page.goto(path);
  await field(page, 'Username').fill(account(name));
  await page.getByRole('textbox', { name: 'Password' }).fill(password);
  await button(page, 'Sign in').click();
}

async function signOut(page: Page, base = '') {
  await page.goto(`${base}/account/logout`);
  await expect(title(page, 'You are signed out')).toBeVisible();
}

async function confirmWithPassword(page: Page, label: string) {
  await dialog(page).getByRole('textbox', { name: 'Your password' }).fill(PASSWORD);
  await dialog(page).getByRole('button', { name: label, exact: true }).click();
}

async function keepCodes(page: Page): Promise<string[]> {
  const shown = dialog(page, 'Your recovery codes').getByRole('listitem');
  await expect(shown).toHaveCount(10);
  const codes = await shown.allInnerTexts();
  await button(page, 'I have kept them').click();
  await expect(dialog(page)).toHaveCount(0);
  return codes;
}

/** Takes away what a test set, also after it failed: nobody does that for themselves without their password. */
async function reset(request: APIRequestContext, token: string | null) {
  if (!token) return;
  const profile = await request.get('/api/users/profiledata', { headers: { Authorization: `Bearer ${token}` } });
  if (!profile.ok()) return;
  const { userId } = (await profile.json()) as { userId: string };
  await apiOf(request, 'ops').remove(`/api/users/${userId}/authenticators`);
}

/** The token that the page uses, as its requests show it. */
function watchToken(page: Page): { value: string | null } {
  const seen: { value: string | null } = { value: null };
  page.on('request', (r) => {
    const token = r.headers().authorization?.replace('Bearer ', '');
    if (token) seen.value = token;
  });
  return seen;
}

/** Opens the link of the newest e-mail to an address, in the mailbox of the demonstration. */
async function openLink(page: Page, address: string, subject: string, label: string) {
  const mail = page.getByRole('navigation', { name: 'E-mails' }).getByRole('button', { name: `${subject} ${address}` });
  await expect(async () => {
    await page.goto('/demo/mailbox');
    await expect(mail.first()).toBeVisible({ timeout: 1000 });
  }).toPass({ timeout: 30_000 });
  await mail.first().click();
  const href = await page.getByRole('link', { name: label, exact: true }).getAttribute('href');
  await page.goto(href!);
}

test('a person sets an authenticator app up and signs in with its codes and with a recovery code (SES-S-001, SES-R-327)', async ({
  page,
  request,
}) => {
  const token = watchToken(page);
  try {
    await signIn(page, 'mika');
    await openProfile(page);
    await button(page, 'Set up').click();
    const setup = dialog(page, 'Set up an authenticator app');
    await setup.getByRole('textbox', { name: 'Your password' }).fill('wrong');
    await setup.getByRole('button', { name: 'Continue' }).click();
    await expect(setup.getByText('The password is incorrect.')).toBeVisible();
    await confirmWithPassword(page, 'Continue');
    await expect(setup.getByRole('img', { name: 'QR code of the secret' })).toBeVisible();
    const secret = await setup.locator('[data-secret]').innerText();
    await setup.getByRole('textbox', { name: 'Code' }).fill(appCode(secret));
    await setup.getByRole('button', { name: 'Confirm' }).click();
    const codes = await keepCodes(page);
    await expect(page.getByText('10 codes left')).toBeVisible();

    await signOut(page);
    await firstStep(page, 'mika');
    await expect(title(page, 'One more step')).toBeVisible();
    const code = field(page, 'Code');
    await expect(code).toHaveAttribute('autocomplete', 'one-time-code');
    await code.fill('12');
    await button(page, 'Sign in').click();
    await expect(page.getByText('The code has 6 digits.')).toBeVisible();
    await code.fill('000000');
    await button(page, 'Sign in').click();
    await expect(page.getByText('This code is not right, or it was used already.')).toBeVisible();
    // The code of the set-up was used; the next one counts already.
    const next = appCode(secret, 30);
    await code.fill(`${next.slice(0, 3)} ${next.slice(3)}`);
    await button(page, 'Sign in').click();
    await expect(page).toHaveURL(/\/intake$/);

    await signOut(page);
    await firstStep(page, 'mika');
    await field(page, 'Code').fill(next);
    await button(page, 'Sign in').click();
    await expect(page.getByText('This code is not right, or it was used already.')).toBeVisible();
    await button(page, 'Use a recovery code').click();
    await field(page, 'Recovery code').fill(codes[0]!);
    await button(page, 'Sign in').click();
    await expect(page).toHaveURL(/\/intake$/);
    await openProfile(page);
    await expect(page.getByText('9 codes left')).toBeVisible();
    await button(page, 'Remove app').click();
    await confirmWithPassword(page, 'Remove');
    await expect(toast(page, 'The authenticator app was removed.')).toBeVisible();
    await expect(button(page, 'Set up')).toBeVisible();
  } finally {
    await reset(request, token.value);
  }
});

test('a code by e-mail comes once, and again after a while (SES-S-001)', async ({ page, context, request }) => {
  const token = watchToken(page);
  try {
    await signIn(page, 'mika');
    await openProfile(page);
    await button(page, 'Switch on').click();
    await confirmWithPassword(page, 'Switch on');
    await keepCodes(page);
    await signOut(page);
    await firstStep(page, 'mika');
    await expect(page.getByText('Enter the code that we sent to m•••@c•••.example.')).toBeVisible();
    await expect(button(page, /^Send another code \(in \d+ s\)$/)).toBeDisabled();
    const mailbox = await context.newPage();
    const newest = mailbox.getByRole('navigation', { name: 'E-mails' }).getByRole('button', { name: /is your sign-in code.*mika@/ });
    await expect(async () => {
      await mailbox.goto('/demo/mailbox');
      await expect(newest.first()).toBeVisible({ timeout: 1000 });
    }).toPass({ timeout: 30_000 });
    const code = /\d{6}/.exec(await newest.first().innerText())![0];
    await mailbox.close();
    await field(page, 'Code').fill(code);
    await button(page, 'Sign in').click();
    await expect(page).toHaveURL(/\/intake$/);
  } finally {
    await reset(request, token.value);
  }
});

// Passkeys belong to names, so this is looked at under the name of the own machine.
plain(
  'a person adds a passkey and signs in with it, as the second step and alone (SES-S-001)',
  async ({ page, context, request, baseURL }) => {
    const base = baseURL!.replace('127.0.0.1', 'localhost');
    const cdp = await context.newCDPSession(page);
    await cdp.send('WebAuthn.enable');
    const options = { protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true } as const;
    await cdp.send('WebAuthn.addVirtualAuthenticator', {
      options: { ...options, isUserVerified: true, automaticPresenceSimulation: true },
    });
    const token = watchToken(page);
    try {
      await signInByForm(page, 'ida', { path: `${base}/account/login` });
      await openProfile(page);
      await button(page, 'Add a passkey').click();
      await dialog(page, 'Add a passkey').getByRole('textbox', { name: 'Name' }).fill('Laboratory key');
      await confirmWithPassword(page, 'Add');
      await keepCodes(page);
      await expect(page.getByRole('list', { name: 'Passkeys' })).toContainText('Laboratory key');

      await signOut(page, base);
      await page.goto(`${base}/account/login`);
      await button(page, 'Sign in with a passkey').click();
      await expect(page).toHaveURL(/\/intake$/);
      await signOut(page, base);
      await firstStep(page, 'ida', PASSWORD, `${base}/account/login`);
      await expect(title(page, 'One more step')).toBeVisible();
      await button(page, 'Use your passkey').click();
      await expect(page).toHaveURL(/\/intake$/);

      await openProfile(page);
      await button(page, 'Rename Laboratory key').click();
      await dialog(page, 'Rename a passkey').getByRole('textbox', { name: 'Name' }).fill('Blue key');
      await confirmWithPassword(page, 'Rename');
      await button(page, 'Remove Blue key').click();
      await confirmWithPassword(page, 'Remove');
      await expect(toast(page, 'The passkey was removed.')).toBeVisible();
      await signOut(page, base);
      await page.goto(`${base}/account/login`);
      await button(page, 'Sign in with a passkey').click();
      await expect(page.getByText('This passkey is not known here. Please sign in with your password.')).toBeVisible();
    } finally {
      await reset(request, token.value);
    }
  },
);

test('who forgot the password sets a new one by the link of an e-mail, which works once (SES-C-016)', async ({ page }) => {
  const password = `tram ${Date.now().toString(36)} over the quiet hill`;
  await page.goto('/account/login');
  await page.getByRole('link', { name: 'Forgot your password?' }).click();
  await button(page, 'Send the link').click();
  await expect(page.getByText('Please enter your username.')).toBeVisible();
  await field(page, 'Username').fill(account('jo'));
  await button(page, 'Send the link').click();
  await expect(page.getByText('If there is an account with this user name')).toBeVisible();
  await openLink(page, account('jo'), 'Set a new password', 'Set a new password');
  const link = page.url();
  await expect(page.getByText(account('jo'))).toBeVisible();
  const [first, again] = [field(page, 'New password'), field(page, 'New password again')];
  await first.fill('short');
  await again.fill('other');
  await button(page, 'Set the password').click();
  await expect(page.getByText('Please use at least 15 characters.')).toBeVisible();
  await expect(page.getByText('The two passwords differ.')).toBeVisible();
  await first.fill('Lindqvist at the laboratory');
  await again.fill('Lindqvist at the laboratory');
  await button(page, 'Set the password').click();
  await expect(page.getByText('Please choose a password without your name')).toBeVisible();
  await first.fill(password);
  await again.fill(password);
  await button(page, 'Set the password').click();
  await expect(toast(page, 'Your password is set. Please sign in with it.')).toBeVisible();
  await firstStep(page, 'jo', password);
  await expect(page).toHaveURL(/\/intake$/);
  await page.goto('/account/login');
  await page.goto(link);
  await expect(page.getByText('This link was used already, or a newer one took its place.')).toBeVisible();
  await button(page, 'Send me a new link').click();
  await expect(title(page, 'Forgot your password?')).toBeVisible();
});

test('a practice registers itself, confirms by e-mail, and its administrator signs in (SES-S-004, SES-T-071, SES-R-281)', async ({
  page,
}) => {
  const own = `quay${Date.now().toString(36)}`;
  const [userName, password] = [`dana@${own}.example`, 'violet tram under the bridge'];
  await page.goto('/account/login');
  await page.getByRole('link', { name: 'Register your practice' }).click();
  await button(page, 'Register').click();
  await expect(page.getByText('Username is not valid')).toBeVisible();
  await field(page, 'Subdomain').fill('larkfield');
  await expect(page.getByText('This subdomain already exists, contains invalid characters or is a reserved word')).toBeVisible();
  await field(page, 'Subdomain').fill(own);
  await expect(page.getByText('This subdomain is available.')).toBeVisible();
  await field(page, 'Username').fill(userName);
  for (const [name, value] of [
    ['Name of the practice', 'Quayside Pediatrics'],
    ['Street', '12 Quay Street'],
    ['City', 'Bayline'],
    ['Zip', '43997'],
    ['Phone', '(555) 010-0177'],
    ['First name', 'Dana'],
    ['Last name', 'Quill'],
  ]) {
    await field(page, name!).fill(value!);
  }
  await pick(page, 'Type', 'Physician Practice');
  await pick(page, 'Specialty', 'Family Medicine');
  await pick(page, 'State', 'Ohio');
  await button(page, 'Register').click();
  await expect(title(page, 'Look into your mailbox')).toBeVisible();
  await firstStep(page, 'nobody');
  await expect(page.getByText('The user name or password is incorrect.')).toBeVisible();
  await openLink(page, userName, 'Please confirm your registration', 'Confirm the registration');
  const link = page.url();
  await expect(page.getByText('Quayside Pediatrics')).toBeVisible();
  await field(page, 'New password').fill('short');
  await field(page, 'New password again').fill('short');
  await button(page, 'Open the account').click();
  await expect(page.getByText('Please use at least 15 characters.')).toBeVisible();
  await field(page, 'New password').fill('quayside pediatrics is ours');
  await field(page, 'New password again').fill('quayside pediatrics is ours');
  await button(page, 'Open the account').click();
  await expect(page.getByText(/^Please choose a password without/)).toBeVisible();
  await field(page, 'New password').fill(password);
  await field(page, 'New password again').fill(password);
  await button(page, 'Open the account').click();
  await expect(title(page, 'Your account is open')).toBeVisible();
  await page.goto('/account/login');
  await page.goto(link);
  await expect(page.getByText('This link was used already, or a newer one took its place.')).toBeVisible();
  await page.goto('/account/login');
  await field(page, 'Username').fill(userName);
  await page.getByRole('textbox', { name: 'Password' }).fill(password);
  await button(page, 'Sign in').click();
  await expect(page).toHaveURL(/\/account\/dashboard$/);
});

isolated('people change their profile, see their sessions and end them', async ({ page, browser, baseURL }) => {
  const elsewhere = await browser.newContext({ baseURL });
  const other = await elsewhere.newPage();
  await signIn(other, 'ida');
  await signIn(page, 'ida');
  await openProfile(page);
  await field(page, 'Phone').fill('(555) 010-0144');
  await button(page, 'Save profile').click();
  await expect(toast(page, 'Your profile was saved.')).toBeVisible();
  await field(page, 'First name').fill('');
  await button(page, 'Save profile').click();
  await expect(page.getByText('First Name is required.')).toBeVisible();
  const wish = page.getByRole('switch', { name: 'New messages' });
  const was = await wish.isChecked();
  const saved = page.waitForResponse((r) => r.request().method() === 'PUT' && r.url().endsWith('/api/account/preferences'));
  await wish.click();
  await saved;
  await page.reload();
  await expect(page.getByRole('switch', { name: 'New messages' })).toBeChecked({ checked: !was });
  await page.getByRole('switch', { name: 'New messages' }).click();
  await expect(page.getByText('This session')).toBeVisible();
  await button(page, /^Sign out Chrome/)
    .first()
    .click();
  await expect(toast(page, 'The session has ended.')).toBeVisible();
  await expect(other).toHaveURL(/\/account\/login$/);
  await button(page, 'Sign out everywhere').click();
  await dialog(page, 'Sign out everywhere').getByRole('button', { name: 'Sign out everywhere' }).click();
  await expect(page).toHaveURL(/\/account\/login$/);
  await elsewhere.close();
});

test('an administrator sets what the organization asks of whoever signs in (MSG-R-472)', async ({ page }) => {
  await signIn(page, 'lena');
  await page.getByRole('link', { name: 'Security' }).click();
  await expect(title(page, 'Security')).toBeVisible();
  const minutes = field(page, 'Minutes without activity');
  await minutes.fill('31');
  await button(page, 'Save settings').click();
  await expect(page.getByText('Please enter 5 to 30 minutes.')).toBeVisible();
  await minutes.fill('20');
  await button(page, 'Save settings').click();
  await readToast(page, 'The security settings were saved.');
  await page.getByRole('switch', { name: 'Allow only these addresses' }).check();
  const addresses = page.getByRole('combobox', { name: 'Allowed addresses' });
  // What an earlier run may have left.
  for (let n = 0; n < 3; n++) await addresses.press('Backspace');
  await addresses.fill('203.0.113.0/24');
  await addresses.press('Enter');
  await button(page, 'Save settings').click();
  const lockOut = dialog(page, 'Your own address is not in the list');
  await expect(lockOut).toContainText('127.0.0.1');
  await lockOut.getByRole('button', { name: 'Cancel' }).click();
  await button(page, 'Add this address').click();
  await button(page, 'Save settings').click();
  await expect(toast(page, 'The security settings were saved.')).toBeVisible();
  await page.getByRole('switch', { name: 'Allow only these addresses' }).uncheck();
  await button(page, 'Save settings').click();
  await expect(page.getByText('You come from')).toHaveCount(0);
});

test('who is signed out is asked to sign in instead of being told what they may not', async ({ page }) => {
  await page.goto('/unauthorized');
  await expect(page).toHaveURL(/\/account\/login/);
});

test('who may not change over to an organization from here is told so and stays', async ({ page }) => {
  const message = 'Your organization does not allow access from this network address.';
  await page.route('**/api/account/change', (route) =>
    route.fulfill({ status: 403, json: { status: 403, message, reason: 'Address not allowed.' } }),
  );
  await signIn(page, 'dana');
  await button(page, /^Organization: /).click();
  await page.locator('.cp-orglist').getByText('Summit Orthopedics').click();
  await expect(toast(page, message)).toBeVisible();
  await expect(button(page, /^Organization: Larkfield/)).toBeVisible();
  await expect(page).toHaveURL(/\/account\/dashboard$/);
});

test('who comes from an address that is not allowed is told so (SES-S-011)', async ({ page }) => {
  await signIn(page, 'mika');
  await page.route('**/api/account/sessions', (route) =>
    route.fulfill({
      status: 403,
      contentType: 'application/problem+json',
      body: JSON.stringify({ status: 403, message: 'Not from here.', reason: 'Address not allowed.' }),
    }),
  );
  await button(page, /^Profile:/).click();
  await page.getByRole('menuitem', { name: 'Profile', exact: true }).click();
  await expect(page).toHaveURL(/\/access-denied$/);
});

test('whose address is no longer allowed learns it also at a reload, and can still sign out (SES-S-003, SES-S-011)', async ({ page }) => {
  await authenticate(page, 'mika');
  await refuse(page, 'POST', /\/api\/account\/renew$/, 403, { message: 'Not from here.', reason: 'Address not allowed.' });
  await page.goto('/intake');
  await expect(title(page, 'Access denied')).toBeVisible();
  await expect(page).toHaveURL(/\/access-denied$/);
  const ended = page.waitForResponse((r) => r.url().endsWith('/api/account/logout') && r.status() === 204);
  await page.goto('/account/logout');
  await ended;
  await expect(title(page, 'You are signed out')).toBeVisible();
  await page.unrouteAll();
  await page.goto('/intake');
  await expect(page).toHaveURL(/\/account\/login$/);
});

isolated('two tabs whose tokens end at once renew once each, and no request is lost (SES-R-208, SES-R-209)', async ({ page, context }) => {
  const other = await context.newPage();
  const tabs = [page, other];
  for (const tab of tabs) await tab.clock.install();
  await signIn(page, 'ida');
  for (const tab of tabs) {
    await tab.goto('/intake');
    await expect(title(tab, 'Intake')).toBeVisible();
  }
  const renewals = new Map<Page, number>();
  const failed: string[] = [];
  for (const tab of tabs) {
    tab.on('request', (r) => r.url().endsWith('/api/account/renew') && renewals.set(tab, (renewals.get(tab) ?? 0) + 1));
    tab.on('response', (r) => r.url().includes('/api/') && r.status() >= 400 && failed.push(`${r.status()} ${r.url()}`));
  }
  // Half a minute is left of the fifteen that each token has.
  await Promise.all(tabs.map((tab) => tab.clock.setSystemTime(Date.now() + 14.5 * 60_000)));
  await Promise.all(tabs.map((tab) => button(tab, /^Profile:/).click()));
  await Promise.all(tabs.map((tab) => tab.getByRole('menuitem', { name: 'Profile', exact: true }).click()));
  for (const tab of tabs) await expect(tab.getByText('This session')).toBeVisible();
  expect(tabs.map((tab) => renewals.get(tab))).toEqual([1, 1]);
  expect(failed).toEqual([]);
});
