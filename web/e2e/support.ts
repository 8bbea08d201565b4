import {
  type BrowserContext,
  type ConsoleMessage,
  type Cookie,
  expect,
  type Page,
  type Request,
  type Response,
  type Route,
  type TestInfo,
  test as base,
} from '@playwright/test';
import { DEFECT, isRefused } from './verdict';

export const PASSWORD = 'Carepost-demo-2026';
/** Of the people whom tests add; theirs may not name the product. */
export const OWN_PASSWORD = 'violet tram under the bridge';
/** The user name of an account of the demonstration; people of a test's own are known by their whole name. */
export const account = (name: string) => (name.includes('@') ? name : `${name}@carepost.example`);
/** Longest wait for workers of the server (delivery, conversion, reading, reports) on a busy machine, in ms. */
export const WORK_MS = process.env.CI === 'true' ? 180_000 : 60_000;
const passwordOf = (name: string) => (name.includes('@') ? OWN_PASSWORD : PASSWORD);

const undo: (() => Promise<unknown>)[] = [];
/** Undoes a test's changes at its end, latest first, so that other tests find the lists unchanged. */
export const afterwards = (act: () => Promise<unknown>) => undo.unshift(act);

/** Undoes everything, also when one act is refused; the first refusal fails the test in the end. */
async function takeBack() {
  const refusals: unknown[] = [];
  for (const act of undo.splice(0)) await act().catch((error: unknown) => refusals.push(error));
  if (refusals.length > 0) throw refusals[0];
}

/** Undoes a screen's changes for its user on the server. */
async function forgetPreference(page: Page, saved: Request) {
  const { authorization } = await saved.allHeaders();
  await page.request.put(saved.url(), { headers: { authorization: authorization! }, data: { value: null } }).catch(() => undefined);
}

// ── The state of the page ──

/** Pages that get no answer to something: they do not settle. */
const unanswered = new WeakSet<Page>();
/** Notes that a page waits for an answer on purpose, or no longer does. */
export const leaveUnanswered = (page: Page, is = true) => (is ? unanswered.add(page) : unanswered.delete(page));

/** Once the page is at rest: no request, navigation, delayed search or save, and the first news of the event connection are there. */
export async function settled(page: Page) {
  if (unanswered.has(page)) return;
  const isAtRest = () => !document.documentElement.hasAttribute('data-busy');
  await page.waitForFunction(isAtRest, undefined, { timeout: WORK_MS, polling: 'raf' });
}

/** Makes `goto` and `reload` of a page wait until it has settled. */
function settling(page: Page) {
  const [goto, reload] = [page.goto.bind(page), page.reload.bind(page)];
  page.goto = async (...args) => {
    const answer = await goto(...args);
    await settled(page);
    return answer;
  };
  page.reload = async (...args) => {
    const answer = await reload(...args);
    await settled(page);
    return answer;
  };
}

/** The unread notices of a page. */
const notices = new WeakMap<Page, string[]>();
const noticesOf = (page: Page) => notices.get(page) ?? notices.set(page, []).get(page)!;

/** Skips the seconds in which sending can be undone: tests by HTTP cover them. */
const sendAtOnce = (route: Route) => {
  const body = (route.request().postDataJSON() ?? {}) as object;
  return route.continue({ postData: { ...body, isHeld: false } });
};

/** Pages of a context settle, and keep what they tell: a toast may be gone before it is looked for. */
export async function listen(context: BrowserContext) {
  await context.exposeBinding('carepostTold', ({ page }, message: string) => void noticesOf(page).push(message));
  await context.addInitScript(() => {
    type Told = CustomEvent<{ message: string }>;
    const hear = (globalThis as unknown as { carepostTold: (message: string) => void }).carepostTold;
    addEventListener('carepost:told', (e) => hear((e as Told).detail.message));
  });
  for (const page of context.pages()) settling(page);
  context.on('page', settling);
  await context.route(/\/api\/messages\/[^/]+\/(send|reply|forward)$/, sendAtOnce);
}

/** Once a notice has told these words. Each notice is read once: the same words again are a notice of their own. */
export async function told(page: Page, words: string | RegExp) {
  const is = (notice: string) => (typeof words === 'string' ? notice === words : words.test(notice));
  const all = noticesOf(page);
  await expect.poll(() => all.some(is), { message: `a notice tells ${words}; told: ${all.join(' | ') || 'nothing'}` }).toBe(true);
  all.splice(all.findIndex(is), 1);
}

/** Fails a test for an error of its page or the server, or a request to another host. Such failures get no second try. */
async function watched(page: Page, baseURL: string, info: TestInfo, run: () => Promise<void>) {
  const problems: string[] = [];
  const addresses: Promise<unknown>[] = [];
  const onError = (e: Error) => void problems.push(e.message);
  const onConsole = (m: ConsoleMessage) => {
    if (m.type() === 'error' && !/status of (4|5)\d\d|ERR_INTERNET_DISCONNECTED|WebSocket/.test(m.text())) problems.push(m.text());
  };
  const onRequest = (r: Request) => {
    if (![baseURL, 'data:', 'blob:', 'about:'].some((p) => r.url().startsWith(p))) problems.push(`foreign request: ${r.url()}`);
    if (r.method() === 'PUT' && r.url().includes('/api/account/preferences/screens/')) afterwards(() => forgetPreference(page, r));
  };
  const onResponse = (r: Response) => {
    if (r.status() < 500) return;
    // An answer that a test has forged comes from no address.
    const noted = r.serverAddr().then((from) => from && problems.push(`${r.status()} for ${r.request().method()} ${r.url()}`));
    addresses.push(noted.catch(() => undefined));
  };
  page.on('pageerror', onError).on('console', onConsole).on('request', onRequest).on('response', onResponse);
  if (info.retry > 0 && isRefused()) info.skip(true, 'the run is refused already');
  await run();
  // A screen may still ask for something when its test is over.
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await Promise.all(addresses);
  unanswered.delete(page);
  notices.delete(page);
  for (const description of problems) info.annotations.push({ type: DEFECT, description });
  await takeBack();
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
  'dialog',
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
 * A page that the tests of a worker share and that is cleared between them, so that the app loads from its cache. Changes that
 * cannot be undone (clocks, scripts, permissions, web socket routes) need `isolated`.
 */
export const test = base.extend<object, { tab: Page }>({
  tab: [
    async ({ browser }, run, { project }) => {
      const { baseURL, actionTimeout = 0 } = project.use;
      const context = await browser.newContext({ baseURL, viewport: VIEWPORT, reducedMotion: 'reduce' });
      context.setDefaultTimeout(actionTimeout);
      shared.set(context, { sessions: new Map() });
      await listen(context);
      await run(await context.newPage());
      await context.close();
    },
    { scope: 'worker' },
  ],
  context: ({ tab }, run) => run(tab.context()),
  // `request` outlives the page: a test's changes are undone through it.
  page: async ({ tab, baseURL, request: _request }, run, info) => {
    await watched(tab, baseURL!, info, () => run(tab));
    await clear(tab, baseURL!);
  },
});

/** Tests with a page and a context of their own. */
export const isolated = base.extend({
  context: async ({ context }, run) => {
    await listen(context);
    await run(context);
  },
  page: ({ page, baseURL, request: _request }, run, info) => watched(page, baseURL!, info, () => run(page)),
});
export { expect };

// ── Signing in ──

type Session = { cookie: Cookie; userId: string; organizationId?: string | null };
/** The sessions of a shared context: checking a password takes longer than most tests. */
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
  // The previous rows stay until the search has answered.
  await expect(rows.filter({ hasNotText: subject })).toHaveCount(0);
  await rows.first().locator('td').nth(5).click();
  await expect(page).toHaveURL(/\/intake\/[0-9a-f-]{36}$/);
}
