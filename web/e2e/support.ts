import { type BrowserContext, type ConsoleMessage, type Cookie, expect, type Page, type Request, test as base } from '@playwright/test';

export const PASSWORD = 'Carepost-demo-2026';
/** Of the people whom tests add; theirs may not name the product. */
export const OWN_PASSWORD = 'violet tram under the bridge';
/** The user name of an account of the demonstration; people of a test's own are known by their whole name. */
export const account = (name: string) => (name.includes('@') ? name : `${name}@carepost.example`);
/** How long workers of the server (delivery, conversion, reading, reports) may take beside everything else on the machine, in ms. */
export const WORK_MS = process.env.CI ? 180_000 : 60_000;
const passwordOf = (name: string) => (name.includes('@') ? OWN_PASSWORD : PASSWORD);

const undo: (() => Promise<unknown>)[] = [];
/** Takes back what a test has made once it is over, the latest first, so that others find the lists as they were. */
export const afterwards = (act: () => Promise<unknown>) => undo.unshift(act);

/** Undoes what a screen has saved for its user on the server. */
async function forgetPreference(page: Page, saved: Request) {
  const { authorization } = await saved.allHeaders();
  await page.request.put(saved.url(), { headers: { authorization: authorization! }, data: { value: null } }).catch(() => undefined);
}

/** Fails a test for an error in the console of its page, or a request to another host. */
async function watched(page: Page, baseURL: string, run: () => Promise<void>) {
  const problems: string[] = [];
  const onError = (e: Error) => void problems.push(e.message);
  const onConsole = (m: ConsoleMessage) => {
    if (m.type() === 'error' && !/status of (4|5)\d\d|ERR_INTERNET_DISCONNECTED|WebSocket/.test(m.text())) problems.push(m.text());
  };
  const onRequest = (r: Request) => {
    if (![baseURL, 'data:', 'blob:', 'about:'].some((p) => r.url().startsWith(p))) problems.push(`foreign request: ${r.url()}`);
    if (r.method() === 'PUT' && r.url().includes('/api/account/preferences/screens/')) afterwards(() => forgetPreference(page, r));
  };
  page.on('pageerror', onError).on('console', onConsole).on('request', onRequest);
  await run();
  // A screen may still ask for something when its test is over.
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  for (const act of undo.splice(0)) await act();
  expect(problems).toEqual([]);
}

const VIEWPORT = { width: 1440, height: 900 };
const EVENTS = [
  'request',
  'requestfailed',
  'requestfinished',
  'response',
  'console',
  'pageerror',
  'download',
  'popup',
  'websocket',
] as const;

/** Leaves the page of a worker as a new one would be, except for its cache. */
async function clear(page: Page, baseURL: string) {
  const context = page.context();
  for (const other of context.pages()) if (other !== page) await other.close();
  for (const event of EVENTS) page.removeAllListeners(event);
  // A document of this origin without scripts: nothing is written while its storage is cleared.
  await page.goto(`${baseURL}/favicon.svg`);
  await page.evaluate(() => sessionStorage.clear());
  await keepSession(context);
  await context.setStorageState({ cookies: [], origins: [] });
  await page.setViewportSize(VIEWPORT);
}

/**
 * A page that the tests of a worker share and that is cleared between them, so that the app loads from its cache.
 * What cannot be taken back (clocks, scripts, permissions, web socket routes) needs `isolated`.
 */
export const test = base.extend<object, { tab: Page }>({
  tab: [
    async ({ browser }, run, { project }) => {
      const { baseURL, actionTimeout = 0 } = project.use;
      const context = await browser.newContext({ baseURL, viewport: VIEWPORT, reducedMotion: 'reduce' });
      context.setDefaultTimeout(actionTimeout);
      shared.set(context, { sessions: new Map() });
      await run(await context.newPage());
      await context.close();
    },
    { scope: 'worker' },
  ],
  context: ({ tab }, run) => run(tab.context()),
  // `request` outlives the page: what a test made is taken back through it.
  page: async ({ tab, baseURL, request: _request }, run) => {
    await watched(tab, baseURL!, () => run(tab));
    await clear(tab, baseURL!);
  },
});

/** Tests with a page and a context of their own. */
export const isolated = base.extend({
  page: async ({ page, baseURL, request: _request }, run) => watched(page, baseURL!, () => run(page)),
});
export { expect };

// ── Signing in ──

type Session = { cookie: Cookie; userId: string; organizationId?: string | null };
/** What a shared context knows of its sessions: checking a password takes longer than most tests. */
const shared = new WeakMap<BrowserContext, { sessions: Map<string, Session>; name?: string }>();

const renewalCookie = async (context: BrowserContext) => (await context.cookies()).find((c) => c.name.endsWith('carepost-renewal'));

/** The renewal cookie changes with each use: the last one is kept for the next test. */
async function keepSession(context: BrowserContext) {
  const known = shared.get(context);
  const session = known?.name && known.sessions.get(known.name);
  const cookie = session && (await renewalCookie(context));
  if (cookie) session.cookie = cookie;
}

async function whoseSession(context: BrowserContext): Promise<Omit<Session, 'cookie'> | null> {
  const renewed = await context.request.post('/api/account/renew');
  if (!renewed.ok()) return null;
  const { accessToken } = (await renewed.json()) as { accessToken: string };
  const profile = await context.request.get('/api/users/profiledata', { headers: { Authorization: `Bearer ${accessToken}` } });
  return profile.ok() ? ((await profile.json()) as Session) : null;
}

/** Gives a page the session of an account, and opens nothing. A session that an earlier test ended or moved is not used again. */
export async function authenticate(page: Page, name: string) {
  const context = page.context();
  const known = shared.get(context);
  const kept = known?.sessions.get(name);
  if (known) known.name = name;
  if (kept) {
    await context.addCookies([kept.cookie]);
    const now = await whoseSession(context);
    if (now?.userId === kept.userId && now.organizationId === kept.organizationId) return;
    await context.clearCookies();
  }
  const answer = await context.request.post('/api/account/login', { data: { userName: account(name), password: passwordOf(name) } });
  expect(answer.ok(), `${name} signs in`).toBe(true);
  const owner = known && (await whoseSession(context));
  if (owner) known.sessions.set(name, { ...owner, cookie: (await renewalCookie(context))! });
}

/** Opens a page, the start page unless told, with the session of an account. */
export async function signIn(page: Page, name: string, path = '/') {
  await authenticate(page, name);
  await page.goto(path);
  if (path === '/') await expect(page).not.toHaveURL((url) => url.pathname === '/');
}

/** Signs in as a person does. */
export async function signInByForm(page: Page, name: string, { password = PASSWORD, path = '/account/login' } = {}) {
  await page.goto(path);
  await page.getByLabel('Username').fill(account(name));
  await page.getByRole('textbox', { name: 'Password' }).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expect(page).not.toHaveURL(/account\/login/);
}

/** In the Intake list, looks for a subject and opens the first message that has it. */
export async function openFound(page: Page, subject: string) {
  const rows = page.locator('[aria-label="Intake messages"] tbody tr[data-opens]');
  await page.getByLabel('Filter messages').fill(subject);
  await expect(rows.filter({ hasText: subject }).first()).toBeVisible();
  // The rows of before stand until the search has answered.
  await expect(rows.filter({ hasNotText: subject })).toHaveCount(0);
  await rows.first().locator('td').nth(3).click();
  await expect(page).toHaveURL(/\/intake\/[0-9a-f-]{36}$/);
}
