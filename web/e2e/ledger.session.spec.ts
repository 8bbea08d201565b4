import type { Page } from '@playwright/test';
import { apiOf, change, dialog, hold, receive, refuse, test, toast, unique } from './ledger';
import { account, expect, PASSWORD, signIn } from './support';

const LIST = '[aria-label="Intake messages"] tbody tr[data-opens]';
const switcher = (page: Page) => page.getByRole('button', { name: /^Organization: / });

// The server remembers where a person worked last.
test.afterEach(async ({ request }) => {
  const dana = apiOf(request, 'dana');
  const { organizations } = await dana.get<{ organizations: { id: string; subDomain: string }[] }>('/api/users/profiledata');
  await dana.post('/api/account/change', { orgId: organizations.find((o) => o.subDomain === 'larkfield')!.id });
});

test('the switcher finds organizations by name, sorted without regard to case, and changes over without a reload (MSG-S-047, SES-S-043, MSG-R-009, MSG-R-126, MSG-R-127, MSG-R-228, MSG-R-229, MSG-R-231, SES-R-317 to SES-R-320)', async ({
  page,
}) => {
  await change<{ organizations: object[] }>(page, '/api/users/profiledata', (profile) => ({
    ...profile,
    organizations: [...profile.organizations, { id: 'x', name: 'alder creek', subDomain: 'alder' }],
  }));
  await signIn(page, 'dana');
  await page.goto('/intake');
  await expect(page.locator(LIST).first()).toBeVisible();
  await page.evaluate(() => {
    (window as unknown as { sameDocument: boolean }).sameDocument = true;
  });
  await switcher(page).click();
  const list = page.locator('.cp-orglist li');
  await expect(list).toHaveCount(3);
  expect(await list.allInnerTexts().then((all) => all.map((t) => t.split('\n').at(-1)))).toEqual([
    'alder creek',
    'Larkfield Family Medicine',
    'Summit Orthopedics',
  ]);
  await page.getByLabel('Search organizations').fill('SUMM');
  await expect(list).toHaveCount(1);
  const asked = page.waitForRequest('**/api/account/change');
  const profile = page.waitForResponse((r) => r.url().endsWith('/api/users/profiledata'));
  const reloaded = page.waitForRequest((r) => r.method() === 'POST' && /\/api\/(intake|messages)$/.test(r.url()));
  await list.getByRole('button').click();
  expect((await asked).postDataJSON()).toEqual({ orgId: expect.stringMatching(/^[0-9a-f-]{36}$/) as unknown });
  await profile;
  await reloaded;
  await expect(switcher(page)).toContainText('Summit Orthopedics');
  await expect(page).toHaveURL(/\/intake$/);
  await expect(page.locator(LIST).first()).toBeVisible();
  expect(await page.evaluate(() => (window as unknown as { sameDocument?: boolean }).sameDocument)).toBe(true);
});

test('a switch that the server does not answer with data begins the session anew, silently (MSG-R-230, SES-R-318, SES-R-321, SES-R-322)', async ({
  page,
}) => {
  await page.route('**/api/account/change', (route) => route.fulfill({ json: { data: null } }));
  await signIn(page, 'dana');
  await switcher(page).click();
  const renewed = page.waitForResponse((r) => r.url().endsWith('/api/account/renew') && r.ok());
  const profile = page.waitForRequest('**/api/users/profiledata');
  await page.locator('.cp-orglist').getByText('Summit Orthopedics').click();
  await renewed;
  await profile;
  await expect(page.getByRole('heading', { level: 1, name: 'Dashboard' })).toBeVisible();
  await expect(page).toHaveURL(/\/account\/dashboard$/);
});

test('a switch whose answer is lost shows the organization that the server is in', async ({ page }) => {
  await signIn(page, 'dana');
  await page.goto('/intake');
  await page.route('**/api/account/change', async (route) => {
    await route.fetch();
    await route.fulfill({ status: 503, json: {} });
  });
  await switcher(page).click();
  await page.locator('.cp-orglist').getByText('Summit Orthopedics').click();
  await expect(switcher(page)).toContainText('Summit Orthopedics');
});

const switchTo = async (page: Page, name: string) => {
  await switcher(page).click();
  await page.locator('.cp-orglist').getByText(name).click();
  await expect(switcher(page)).toContainText(name);
};

test('every window of a browser shows the organization that one of them switches to (SES-R-317)', async ({ page, context }) => {
  await signIn(page, 'dana');
  const other = await context.newPage();
  await other.goto('/account/users');
  await expect(other.getByText('priya@carepost.example')).toBeVisible();
  await other.getByRole('button', { name: 'Find Provider' }).click();
  await expect(dialog(other)).toBeVisible();
  await switchTo(page, 'Summit Orthopedics');
  // No administrator there.
  await expect(other).toHaveURL(/\/unauthorized$/);
  await expect(other.getByText('priya@carepost.example')).toHaveCount(0);
  await expect(dialog(other)).toHaveCount(0);
  await other.goto('/intake');
  await expect(other.locator(LIST).first()).toBeVisible();
  await switchTo(other, 'Larkfield Family Medicine');
  await expect(switcher(page)).toContainText('Larkfield');
});

test('what was typed for one organization is not saved in another that a window did not hear of (SES-R-317)', async ({ page, context }) => {
  await signIn(page, 'dana');
  const deaf = await context.newPage();
  await deaf.addInitScript(() => {
    Object.defineProperty(BroadcastChannel.prototype, 'onmessage', { set: () => {} });
  });
  // What comes over the hub would make it ask, and learn of the switch by that.
  await deaf.routeWebSocket(/\/api\/hubs\//, () => {});
  // Renewed before every call.
  await change<{ expiresIn: number }>(deaf, '/api/account/renew', (grant) => ({ ...grant, expiresIn: 60 }));
  const saved: string[] = [];
  deaf.on('request', (r) => r.method() === 'PUT' && saved.push(r.url()));
  await deaf.goto('/account/settings/security');
  await deaf.getByRole('textbox', { name: 'Minutes without activity' }).fill('29');
  await switchTo(page, 'Summit Orthopedics');
  await expect(switcher(deaf)).toContainText('Larkfield');
  await deaf.getByRole('button', { name: 'Save settings' }).click();
  await expect(toast(deaf, 'This was not done: the organization was switched in another window.')).toBeVisible();
  // Dana sets nothing there.
  await expect(deaf).toHaveURL(/\/unauthorized$/);
  expect(saved).toEqual([]);
});

test('a window asks for sign-in when somebody signs out or somebody else signs in in another (SES-R-317)', async ({ page, context }) => {
  await signIn(page, 'dana');
  const other = await context.newPage();
  // The notice over the hub is not needed.
  await other.routeWebSocket(/\/api\/hubs\//, () => {});
  await other.goto('/account/users');
  await expect(other.getByRole('button', { name: /^Profile: Dana/ })).toBeVisible();
  await signIn(page, 'priya');
  await expect(other).toHaveURL(/\/account\/login$/);
  await expect(other.getByRole('button', { name: /^Profile:/ })).toHaveCount(0);
  await signIn(other, 'priya');
  await expect(other).toHaveURL(/\/intake$/);
  await expect(page.locator(LIST).first()).toBeVisible();
  await page.goto('/account/logout');
  await expect(other).toHaveURL(/\/account\/login$/);
});

test('a list in view shows what came while the connection for events was lost (MSG-R-036)', async ({ page, request }) => {
  let drop = async () => {};
  await page.routeWebSocket(/\/api\/hubs\/events$/, (socket) => {
    socket.connectToServer();
    drop = () => socket.close();
  });
  const connected = page.waitForEvent('websocket', (s) => s.url().endsWith('/api/hubs/events'));
  await signIn(page, 'dana');
  await connected;
  await page.goto('/intake');
  await expect(page.locator(LIST).first()).toBeVisible();
  const ticket = /\/api\/account\/hubticket$/;
  await refuse(page, 'POST', ticket, 503);
  const failed = page.waitForResponse(ticket);
  await drop();
  await failed;
  await receive(request, { subject: unique('Came unnoticed') });
  await page.unroute(ticket);
  await expect(page.getByRole('button', { name: '1 new' })).toBeVisible({ timeout: 30_000 });
});

test('a connection for events on which nothing is heard any more is made anew, and the sidebar tells what came (MSG-R-036)', async ({
  page,
  request,
}) => {
  let connections = 0;
  await page.routeWebSocket(/\/api\/hubs\/events$/, (socket) => {
    const server = socket.connectToServer();
    // The network behind the first one is gone, and nobody says so.
    if (++connections === 1) server.onMessage(() => {});
  });
  await page.clock.install();
  await signIn(page, 'dana');
  await page.goto('/account/profile');
  await expect.poll(() => connections).toBe(1);
  const unread = page.getByRole('link', { name: /^Intake/ });
  await expect(unread).toHaveText(/\d unread/);
  const before = (await unread.textContent()) ?? '';
  await receive(request, { subject: unique('Came unheard') });
  await expect(unread).toHaveText(before);
  await page.clock.fastForward(61_000);
  await page.clock.fastForward(2_000);
  await expect.poll(() => connections).toBe(2);
  await page.clock.fastForward(1_000);
  await expect(unread).not.toHaveText(before);
});

test('what was typed into a form and not saved is found by nobody else who signs in in the same tab', async ({ page }) => {
  const email = page.getByRole('textbox', { name: 'Username' });
  await signIn(page, 'dana');
  await page.goto('/account/users/add');
  await refuse(page, 'POST', /\/api\/users\/find/, 401, { reason: 'Token revoked or expired.' });
  await email.fill('half.typed@larkfield.example');
  await expect(page).toHaveURL(/\/account\/login$/);
  await page.unrouteAll();
  await signIn(page, 'lena', page.url());
  await page.goto('/account/users/add');
  await expect(email).toHaveValue('');
  await signIn(page, 'dana');
  await page.goto('/account/users/add');
  await expect(email).toHaveValue('half.typed@larkfield.example');
});

test('the brand names the product and colours its actions (MSG-R-010, MSG-R-011, MSG-R-012, SES-R-001, SES-R-008)', async ({ page }) => {
  const colourOf = () => page.getByRole('button', { name: 'Sign in', exact: true }).evaluate((b) => getComputedStyle(b).backgroundColor);
  await page.goto('/account/login');
  const own = await colourOf();
  const steps = ['#F4EEFB', '#E6D9F5', '#CDB3EA', '#B38CDF', '#9A66D4', '#8040C9', '#6A2FB0', '#542592', '#3F1B6E', '#2A124A'];
  await change<object>(page, '/api/branding', (brand) => ({ ...brand, displayName: 'Bluestem Exchange', brandColors: steps }));
  await page.reload();
  await expect(page.getByText('Bluestem Exchange').first()).toBeVisible();
  await expect(page).toHaveTitle('Bluestem Exchange');
  expect(await colourOf()).not.toBe(own);
  const asked = page.waitForRequest(/\/api\/entitysettings\/Brand\/[0-9a-f-]{36}$/);
  await signIn(page, 'priya');
  await asked;
  await expect(page.locator('.cp-brandmark')).toContainText('Bluestem Exchange');
  // Kept for the browser session.
  let again = 0;
  page.on('request', (r) => {
    if (r.url().includes('/api/entitysettings/Brand/')) again++;
  });
  await page.reload();
  await expect(page.locator(LIST).first()).toBeVisible();
  expect(again).toBe(0);
  expect(await page.evaluate(() => Object.keys(sessionStorage).some((k) => k.startsWith('carepost.brandSettings.')))).toBe(true);
});

test('a toast stands at the top in the middle, ends after 5 s, and goes at a click (MSG-S-064, SES-S-067, MSG-R-442, SES-R-365, SES-R-366, SES-R-368)', async ({
  page,
}) => {
  await signIn(page, 'priya');
  await expect(page.locator(LIST).first()).toBeVisible();
  await page.clock.install();
  await refuse(page, 'PUT', /\/read$/, 409, { message: 'Somebody else was quicker.' });
  const fail = async () => {
    await page.locator(`${LIST} input[type=checkbox]`).first().check();
    await page.getByRole('button', { name: 'Mark as read' }).click();
  };
  await fail();
  const shown = toast(page, 'Somebody else was quicker.');
  await expect(shown).toBeVisible();
  const box = (await page.locator('.cp-toastbox').boundingBox())!;
  expect(box.y).toBeLessThan(60);
  expect(Math.abs(box.x + box.width / 2 - 720)).toBeLessThan(12);
  await page.clock.runFor(4500);
  await expect(shown).toBeVisible();
  await page.clock.runFor(1500);
  await expect(shown).toHaveCount(0);
  await page.getByRole('button', { name: 'Mark as read' }).click();
  await expect(shown).toBeVisible();
  await shown.click();
  await page.clock.runFor(500);
  await expect(shown).toHaveCount(0);
});

test('a page that is opened shows that it is on its way, and says so when the server cannot be reached', async ({ page }) => {
  await signIn(page, 'dana');
  const brand = await hold(page, '**/api/branding');
  const renewal = await hold(page, '**/api/account/renew');
  const line = page.locator('.cp-loading');
  await page.goto('/intake');
  await expect(line).toBeVisible();
  const asked = page.waitForRequest('**/api/account/renew');
  brand();
  await asked;
  await expect(line).toBeVisible();
  renewal();
  await expect(page.locator(LIST).first()).toBeVisible();
  await expect(line).toBeHidden();
  await page.clock.install();
  await refuse(page, 'GET', /\/api\/branding$/, 503);
  await page.reload();
  await expect(line).toBeVisible();
  const message = page.getByRole('heading', { name: 'The server could not be reached' });
  await expect(async () => {
    await page.clock.fastForward(4000);
    await expect(message).toBeVisible({ timeout: 500 });
  }).toPass();
  await expect(line).toBeHidden();
  await page.unrouteAll();
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.locator(LIST).first()).toBeVisible();
});

test('the loading line runs while a request is under way; quiet ones leave it alone (MSG-S-065, SES-S-066, MSG-R-262 to MSG-R-264, SES-R-222 to SES-R-224)', async ({
  page,
}) => {
  await signIn(page, 'dana');
  const line = page.locator('.cp-loading');
  const answer = await hold(page, '**/api/messages?*');
  await page.getByRole('link', { name: 'Release' }).click();
  await expect(line).toHaveAttribute('data-on', 'true');
  answer();
  await expect(page.getByRole('table', { name: 'Releases' }).locator('tbody tr').first()).toBeVisible();
  await expect(line).not.toHaveAttribute('data-on', 'true');
  const list = await hold(page, '**/api/intake');
  await page.getByRole('link', { name: 'Intake' }).click();
  await expect(page.locator('[aria-label="Intake messages"]')).toHaveAttribute('aria-busy', 'true');
  await expect(line).not.toHaveAttribute('data-on', 'true');
  list();
  await expect(page.locator(LIST).first()).toBeVisible();
});

for (const status of [401, 403]) {
  test(`a revoked token (${status}) ends the session without a word, and the place is remembered (MSG-R-259, SES-R-212 to SES-R-214, MSG-T-048)`, async ({
    page,
  }) => {
    await signIn(page, 'priya');
    await expect(page.locator(LIST).first()).toBeVisible();
    await page.goto('/intake?view=unassigned');
    await expect(page.locator(LIST).first()).toBeVisible();
    await refuse(page, 'POST', /\/api\/intake$/, status, { reason: 'Token revoked or expired.' });
    await page.getByRole('button', { name: 'Refresh' }).click();
    await expect(page).toHaveURL(/\/account\/login$/);
    await expect(page.locator('.cp-toastbox')).toHaveCount(0);
    await page.unroute(/\/api\/intake$/);
    await page.getByLabel('Username').fill(account('priya'));
    await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await expect(page).toHaveURL(/\/intake\?view=unassigned$/);
  });
}

test('a refused page leads to /unauthorized with a toast; a refused act shows the toast and stays (MSG-R-260, MSG-R-261, SES-R-215, SES-R-216, MSG-T-106, SES-T-079, SES-S-010)', async ({
  page,
}) => {
  const text = 'You are not authorized to view this resource.';
  await signIn(page, 'priya');
  await expect(page.locator(LIST).first()).toBeVisible();
  await refuse(page, 'PUT', /\/read$/, 403);
  await page.locator(`${LIST} input[type=checkbox]`).first().check();
  await page.getByRole('button', { name: 'Mark as read' }).click();
  await expect(toast(page, text)).toBeVisible();
  await expect(page).toHaveURL(/\/intake$/);
  await refuse(page, 'GET', /\/api\/messages\?/, 403);
  await page.getByRole('link', { name: 'Release' }).click();
  await expect(toast(page, text)).toBeVisible();
  await expect(page).toHaveURL(/\/unauthorized$/);
});

test('a dialog is 700 px wide, at the top, modal, with a title and a close button (SES-S-057, SES-R-203 to SES-R-206)', async ({
  page,
}) => {
  await signIn(page, 'priya');
  await page
    .getByRole('button', { name: /^Actions for/ })
    .first()
    .click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  const box = dialog(page, 'Delete Message');
  await expect(box).toHaveAttribute('aria-modal', 'true');
  await expect(box.getByRole('heading', { name: 'Delete Message' })).toBeVisible();
  const place = (await box.boundingBox())!;
  expect(place.width).toBe(700);
  expect(place.y).toBeLessThan(80);
  await box.getByRole('button', { name: 'Close' }).click();
  await expect(box).toBeHidden();
});

test('the sidebar shows the areas of the role, and the unread of the Intake (MSG-S-003, MSG-S-046, MSG-R-036, SES-R-306)', async ({
  page,
}) => {
  await signIn(page, 'priya');
  const nav = page.getByRole('navigation', { name: 'Main' });
  await expect(nav.getByRole('link', { name: 'Release' })).toBeVisible();
  await expect(nav.getByRole('link', { name: /Intake/ })).toContainText('unread');
  await expect(nav.getByRole('link', { name: 'Dashboard' })).toHaveCount(0);
  await expect(nav.getByRole('link', { name: 'Organizations' })).toHaveCount(0);
  await page.getByRole('button', { name: 'Collapse sidebar' }).click();
  await expect(nav.getByText('Release')).not.toBeInViewport({ ratio: 1 });
  await page.getByRole('button', { name: 'Open sidebar' }).click();
  await expect(nav.getByText('Release')).toBeVisible();
});

test('what is remembered in the browser goes by prefixed names (SES-R-372, SES-R-373, MSG-R-014, MSG-R-034)', async ({ page }) => {
  await page.goto('/intake?view=unassigned');
  await expect(page).toHaveURL(/\/account\/login$/);
  expect(await page.evaluate(() => sessionStorage.getItem('carepost.redirectUrl'))).toBe('/intake?view=unassigned');
  await signIn(page, 'priya', page.url());
  await expect(page).toHaveURL(/view=unassigned$/);
  await page.goto('/intake');
  await page.getByLabel('Rows per page').selectOption('25');
  const keys = await page.evaluate(() => [...Object.keys(sessionStorage), ...Object.keys(localStorage)]);
  expect(keys).toContain('carepost.ProfileData');
  expect(keys.some((k) => /^carepost\.preferences\..*\.intakePageSize$/.test(k))).toBe(true);
  await page.goto('/account/login?x=1');
  await page.goto('/intake');
  await expect(page.getByLabel('Rows per page')).toHaveValue('25');
});

test('/admin leads to the start page of the role, an unknown path to the place that is remembered (SES-R-023, SES-R-035, SES-R-036, SES-R-061, SES-S-007)', async ({
  page,
}) => {
  await signIn(page, 'dana');
  await page.goto('/admin');
  await expect(page).toHaveURL(/\/account\/dashboard$/);
  await page.evaluate(() => sessionStorage.setItem('carepost.redirectUrl', '/release?view=drafts'));
  await page.goto('/no/such/place');
  await expect(page).toHaveURL(/\/release\?view=drafts$/);
  expect(await page.evaluate(() => sessionStorage.getItem('carepost.redirectUrl'))).toBeNull();
});

test('a connection in the address leads to its own sign-in page (SES-S-002, SES-R-040)', async ({ page }) => {
  await page.goto('/intake?ssoConnection=Acme');
  await expect(page).toHaveURL(/\/account\/login\/acme$/i);
});

test('the sign-in page shows and hides the password (SES-S-001, MSG-S-008, MSG-S-076, MSG-R-360)', async ({ page }) => {
  await page.goto('/account/login');
  const password = page.getByLabel('Password', { exact: true });
  await page.locator('input[autocomplete="current-password"]').fill('secret');
  await expect(page.locator('input[autocomplete="current-password"]')).toHaveAttribute('type', 'password');
  await page.locator('.mantine-PasswordInput-visibilityToggle').click();
  await expect(page.locator('input[autocomplete="current-password"]')).toHaveAttribute('type', 'text');
  await expect(password.or(page.locator('input[autocomplete="current-password"]')).first()).toHaveValue('secret');
});

test('pages that stand for themselves (SES-S-011, SES-S-012, SES-S-022, MSG-S-010)', async ({ page }) => {
  for (const [path, title] of [
    ['/access-denied', 'Access denied'],
    ['/auth-error', 'Sign-in did not work'],
    ['/unsupportedbrowser', 'This browser is too old'],
  ] as const) {
    await page.goto(path);
    await expect(page.getByRole('heading', { name: title })).toBeVisible();
  }
});
