import { createHmac } from 'node:crypto';
import { type APIRequestContext, type Page, test as plain } from '@playwright/test';
import { apiOf, dialog, field, pick, unique } from './helpers';
import { practice } from './practice';
import { account, afterwards, expect, isolated, OWN_PASSWORD, PASSWORD, signIn, signInByForm, test, WORK_MS } from './support';

// Tests with the people of Quarry Laboratory, since they would disturb those of others.

const CRITICAL = { tag: '@critical' };

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' });
const title = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });

/** The code of an authenticator app (RFC 6238) at an offset in seconds from now. */
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
  await button(page, 'I have saved them').click();
  await expect(dialog(page)).toHaveCount(0);
  return codes;
}

/** Resets a second step, also after a failure: people cannot do that for themselves without their password. */
async function resetOf(request: APIRequestContext, name: string) {
  const ops = apiOf(request, 'ops');
  const { users } = await ops.get<{ users: { id: string; userName: string }[] }>(`/api/admin/users?search=${name}`);
  const path = `/api/users/${users.find((u) => u.userName === account(name))!.id}/authenticators?identityProof=InPerson`;
  const reset = () => ops.remove(path).catch(() => undefined);
  // Leftovers of an earlier run.
  await reset();
  return reset;
}

type Mail = { id: string; toAddress: string; subject: string };
const mailsTo = async (request: APIRequestContext, address: string) =>
  ((await (await request.get('/api/demo/emails')).json()) as { items: Mail[] }).items.filter((m) => m.toAddress === address);

/** The new e-mail with a subject at an address, besides known ones. */
async function newMail(request: APIRequestContext, address: string, subject: RegExp, known: Mail[] = []): Promise<Mail> {
  let found: Mail | undefined;
  const look = async () => {
    found = (await mailsTo(request, address)).find((m) => subject.test(m.subject) && !known.some((k) => k.id === m.id));
    return found;
  };
  await expect.poll(look, { message: `${subject} to ${address}`, timeout: WORK_MS }).toBeTruthy();
  return found!;
}

/** Opens the link of an e-mail that has come, in the mailbox of the demonstration. */
async function openLink(page: Page, { subject, toAddress }: Mail, label: string) {
  await page.goto('/demo/mailbox');
  await page
    .getByRole('navigation', { name: 'E-mails' })
    .getByRole('button', { name: `${subject} ${toAddress}` })
    .first()
    .click();
  const href = await page.getByRole('link', { name: label, exact: true }).getAttribute('href');
  await page.goto(href!);
}

test('a person sets an authenticator app up and signs in with its codes and with a recovery code', CRITICAL, async ({ page, request }) => {
  afterwards(await resetOf(request, 'mika'));
  await signIn(page, 'mika');
  await openProfile(page);
  await button(page, 'Set up').click();
  const setup = dialog(page, 'Set up an authenticator app');
  await confirmWithPassword(page, 'Continue');
  await expect(setup.getByRole('img', { name: 'QR code of the secret' })).toBeVisible();
  const secret = await setup.locator('[data-secret]').innerText();
  // The code of the step before counts too, unless its time runs out meanwhile.
  await expect.poll(() => (Date.now() / 1000) % 30).toBeLessThan(20);
  await setup.getByRole('textbox', { name: 'Code' }).fill(appCode(secret, -30));
  await setup.getByRole('button', { name: 'Confirm' }).click();
  const codes = await keepCodes(page);
  await expect(page.getByText('10 codes left')).toBeVisible();

  await signOut(page);
  await firstStep(page, 'mika');
  const next = appCode(secret);
  await field(page, 'Code').fill(next);
  await button(page, 'Sign in').click();
  await expect(page).toHaveURL(/\/intake$/);

  await signOut(page);
  await firstStep(page, 'mika');
  await field(page, 'Code').fill(next);
  await button(page, 'Sign in').click();
  await expect(page.getByText('This code is wrong or was already used.')).toBeVisible();
  await button(page, 'Use a recovery code').click();
  await field(page, 'Recovery code').fill(codes[0]!);
  await button(page, 'Sign in').click();
  await expect(page).toHaveURL(/\/intake$/);
  await openProfile(page);
  await expect(page.getByText('9 codes left')).toBeVisible();
  await button(page, 'Remove app').click();
  await confirmWithPassword(page, 'Remove');
  await expect(button(page, 'Set up')).toBeVisible();
});

test('a person signs in with a code that comes by e-mail', CRITICAL, async ({ page, request }) => {
  afterwards(await resetOf(request, 'mika'));
  await signIn(page, 'mika');
  await openProfile(page);
  await button(page, 'Switch on').click();
  await confirmWithPassword(page, 'Switch on');
  await keepCodes(page);
  await signOut(page);
  const known = await mailsTo(request, account('mika'));
  await firstStep(page, 'mika');
  await expect(page.getByText('Enter the code that we sent to m•••@c•••.example.')).toBeVisible();
  const { subject } = await newMail(request, account('mika'), /is your sign-in code/, known);
  await field(page, 'Code').fill(/\d{6}/.exec(subject)![0]);
  await button(page, 'Sign in').click();
  await expect(page).toHaveURL(/\/intake$/);
});

// Passkeys belong to names, so this is looked at under the name of the own machine.
plain(
  'a person adds a passkey and signs in with it, as the second step and alone',
  CRITICAL,
  async ({ page, context, request, baseURL }) => {
    const base = baseURL!.replace('127.0.0.1', 'localhost');
    const cdp = await context.newCDPSession(page);
    await cdp.send('WebAuthn.enable');
    const options = { protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true } as const;
    await cdp.send('WebAuthn.addVirtualAuthenticator', {
      options: { ...options, isUserVerified: true, automaticPresenceSimulation: true },
    });
    const reset = await resetOf(request, 'ida');
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
      await expect(page.getByText('Blue key')).toHaveCount(0);
      await signOut(page, base);
      await page.goto(`${base}/account/login`);
      await button(page, 'Sign in with a passkey').click();
      await expect(page.getByText('This passkey is unknown here. Please sign in with your password.')).toBeVisible();
    } finally {
      await reset();
    }
  },
);

test('who forgot the password sets a new one by the link of an e-mail, which works once', CRITICAL, async ({ page, request }) => {
  const { userName } = await practice(request, 'registered');
  const password = unique('tram over the quiet hill');
  await page.goto('/account/login');
  await page.getByRole('link', { name: 'Forgot your password?' }).click();
  // The page before has a field of the same name.
  await expect(page.getByRole('heading', { name: 'Forgot your password?' })).toBeVisible();
  await field(page, 'Username').fill(userName);
  await button(page, 'Send the link').click();
  await expect(page.getByText('If there is an account with this user name')).toBeVisible();
  await openLink(page, await newMail(request, userName, /^Set a new password$/), 'Set a new password');
  const link = page.url();
  await expect(page.getByText(userName)).toBeVisible();
  await field(page, 'New password').fill(password);
  await field(page, 'Confirm new password').fill(password);
  await button(page, 'Set the password').click();
  await expect(title(page, 'Sign in')).toBeVisible();
  await signInByForm(page, userName, { password });
  await expect(page).toHaveURL(/\/account\/dashboard$/);
  await page.goto('/account/login');
  await page.goto(link);
  await expect(page.getByText('This link was already used, or replaced by a newer one.')).toBeVisible();
});

isolated(
  'a practice registers itself, confirms by e-mail, and its administrator signs in (SES-S-001, SES-S-004)',
  CRITICAL,
  async ({ page, context, request }) => {
    // The server limits registrations per address.
    await context.setExtraHTTPHeaders({ 'X-Forwarded-For': `198.18.${Date.now() % 256}.${Math.floor(Math.random() * 256)}` });
    const name = unique('Quayside');
    const own = name.toLowerCase().replace(' ', '-');
    const userName = `dana@${own}.example`;
    await page.goto('/account/login');
    await page.getByRole('link', { name: 'Register your practice' }).click();
    await field(page, 'Subdomain').fill(own);
    await expect(page.getByText('This subdomain is available.')).toBeVisible();
    for (const [label, value] of [
      ['Name of the practice', name],
      ['Street', '12 Quay Street'],
      ['City', 'Bayline'],
      ['Zip', '43997'],
      ['Phone', '(555) 010-0177'],
      ['First name', 'Dana'],
      ['Last name', 'Quill'],
      ['Username', userName],
    ] as const)
      await field(page, label).fill(value);
    await pick(page, 'Type', 'Physician Practice');
    await pick(page, 'Specialty', 'Family Medicine');
    await pick(page, 'State', 'Ohio');
    const ops = apiOf(request, 'ops');
    afterwards(async () => {
      const { items } = await ops.get<{ items: { id: string }[] }>(`/api/organizations?search=${encodeURIComponent(name)}`);
      for (const { id } of items) await ops.remove(`/api/organizations/${id}`);
    });
    await button(page, 'Register').click();
    await expect(title(page, 'Check your mailbox')).toBeVisible();
    await openLink(page, await newMail(request, userName, /^Please confirm your registration$/), 'Confirm the registration');
    await expect(page.getByText(name)).toBeVisible();
    await field(page, 'New password').fill(OWN_PASSWORD);
    await field(page, 'Confirm new password').fill(OWN_PASSWORD);
    await button(page, 'Open the account').click();
    await expect(title(page, 'Your account is open')).toBeVisible();
    await signInByForm(page, userName, { password: OWN_PASSWORD });
    await expect(page).toHaveURL(/\/account\/dashboard$/);
  },
);

/** Somebody signs in without a browser, from an address. */
async function tokenOf(request: APIRequestContext, userName: string, password: string, from: Record<string, string> = {}) {
  const answer = await request.post('/api/account/login', { data: { userName, password }, headers: from });
  expect(answer.ok()).toBe(true);
  const { accessToken } = (await answer.json()) as { accessToken: string };
  return { Authorization: `Bearer ${accessToken}`, ...from };
}

isolated('people see their sessions in other browsers and end them', CRITICAL, async ({ page, request, browser, baseURL }) => {
  // Leftovers of earlier tests.
  const headers = await tokenOf(request, account('ida'), PASSWORD);
  await request.post('/api/account/sessions/end', { headers, data: { password: PASSWORD } });
  const elsewhere = await browser.newContext({ baseURL, userAgent: 'Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/144.0' });
  const other = await elsewhere.newPage();
  await signIn(other, 'ida');
  await signIn(page, 'ida');
  await openProfile(page);
  await expect(page.getByText('This session')).toBeVisible();
  await button(page, /^Sign out Firefox on Linux/).click();
  await confirmWithPassword(page, 'Sign out');
  await expect(other).toHaveURL(/\/account\/login$/);
  await expect(button(page, /^Sign out Firefox/)).toHaveCount(0);
  await signInByForm(other, 'ida');
  await button(page, 'Sign out everywhere').click();
  await confirmWithPassword(page, 'Sign out everywhere');
  await expect(page).toHaveURL(/\/account\/login$/);
  await expect(other).toHaveURL(/\/account\/login$/);
  await elsewhere.close();
});

isolated(
  'whose address is not allowed by the organization learns it with the next call and at a reload, and can still sign out (SES-S-003, SES-S-011, MSG-R-472)',
  CRITICAL,
  async ({ page, context, request }) => {
    const [home, away] = [{ 'X-Forwarded-For': '198.51.100.7' }, { 'X-Forwarded-For': '203.0.113.9' }];
    const { userName } = await practice(request, 'at work');
    const headers = await tokenOf(request, userName, OWN_PASSWORD, home);
    const path = '/api/account/settings/security';
    const now = (await (await request.get(path, { headers })).json()) as { version: number };
    const data = { idleMinutes: 15, requireSecondFactor: false, requireWhitelistedIp: true, allowedAddresses: ['198.51.100.7'] };
    expect((await request.put(path, { headers, data: { ...data, version: now.version } })).ok()).toBe(true);

    await context.setExtraHTTPHeaders(home);
    await signIn(page, userName);
    await expect(title(page, 'Dashboard')).toBeVisible();
    await context.setExtraHTTPHeaders(away);
    await button(page, /^Profile:/).click();
    await page.getByRole('menuitem', { name: 'Profile', exact: true }).click();
    await expect(title(page, 'Access denied')).toBeVisible();
    await page.goto('/intake');
    await expect(title(page, 'Access denied')).toBeVisible();
    await expect(page).toHaveURL(/\/access-denied$/);
    await signOut(page);
    await context.setExtraHTTPHeaders(home);
    await page.goto('/intake');
    await expect(page).toHaveURL(/\/account\/login$/);
  },
);

isolated(
  'two tabs whose tokens end at once renew once each, and no request is lost (SES-R-208, SES-R-209)',
  CRITICAL,
  async ({ page, context }) => {
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
  },
);
