import type { Page } from '@playwright/test';
import { apiOf, change, dialog, hold, receive, refuse, toast, unique } from './helpers';
import { authenticate, expect, isolated, signIn, signInByForm, test } from './support';

const LIST = '[aria-label="Intake messages"] tbody tr[data-opens]';
const switcher = (page: Page) => page.getByRole('button', { name: /^Organization: / });

// The server remembers where a person worked last.
test.afterEach(async ({ request }) => {
  const dana = apiOf(request, 'dana');
  const { organizations } = await dana.get<{ organizations: { id: string; subDomain: string }[] }>('/api/users/profiledata');
  await dana.post('/api/account/change', { orgId: organizations.find((o) => o.subDomain === 'larkfield')!.id });
});

test('the switcher finds organizations by name and changes over without a reload (MSG-S-047, MSG-R-009, MSG-R-126, MSG-R-228, MSG-R-229, SES-R-317, SES-R-319, SES-R-320)', async ({
  page,
}) => {
  await signIn(page, 'dana', '/intake');
  await expect(page.locator(LIST).first()).toBeVisible();
  await page.evaluate(() => {
    (window as unknown as { sameDocument: boolean }).sameDocument = true;
  });
  await switcher(page).click();
  const list = page.locator('.cp-orglist li');
  await expect(list).toHaveCount(2);
  await page.getByLabel('Search organizations').fill('SUMM');
  await expect(list).toHaveCount(1);
  const request = page.waitForRequest('**/api/account/change');
  const profile = page.waitForResponse((r) => r.url().endsWith('/api/users/profiledata'));
  const reloaded = page.waitForRequest((r) => r.method() === 'POST' && /\/api\/(intake|messages)$/.test(r.url()));
  await list.getByRole('button').click();
  expect((await request).postDataJSON()).toEqual({ orgId: expect.stringMatching(/^[0-9a-f-]{36}$/) as unknown });
  await profile;
  await reloaded;
  await expect(switcher(page)).toContainText('Summit Orthopedics');
  await expect(page).toHaveURL(/\/intake$/);
  await expect(page.locator(LIST).first()).toBeVisible();
  expect(await page.evaluate(() => (window as unknown as { sameDocument?: boolean }).sameDocument)).toBe(true);
});

const switchTo = async (page: Page, name: string) => {
  await switcher(page).click();
  await page.locator('.cp-orglist').getByText(name).click();
  await expect(switcher(page)).toContainText(name);
};

test('every window of a browser shows the organization that one of them switches to', async ({ page, context }) => {
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

test('what was typed for one organization is not saved in another that a window did not hear of', async ({ page, context }) => {
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

test('a window asks for sign-in when somebody signs out or somebody else signs in in another', async ({ page, context }) => {
  await signIn(page, 'dana');
  const other = await context.newPage();
  // The notice over the hub is not needed.
  await other.routeWebSocket(/\/api\/hubs\//, () => {});
  await other.goto('/account/users');
  await expect(other.getByRole('button', { name: /^Profile: Dana/ })).toBeVisible();
  await signInByForm(page, 'priya');
  await expect(other).toHaveURL(/\/account\/login$/);
  await expect(other.getByRole('button', { name: /^Profile:/ })).toHaveCount(0);
  await signInByForm(other, 'priya');
  await expect(other).toHaveURL(/\/intake$/);
  await expect(page.locator(LIST).first()).toBeVisible();
  await page.goto('/account/logout');
  await expect(other).toHaveURL(/\/account\/login$/);
});

isolated('a list in view shows what came while the connection for events was lost', async ({ page, request }) => {
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

isolated(
  'a connection for events on which nothing is heard any more is made anew, and the sidebar tells what came',
  async ({ page, request }) => {
    let connections = 0;
    await page.routeWebSocket(/\/api\/hubs\/events$/, (socket) => {
      const server = socket.connectToServer();
      // The network behind the first one is gone, and nobody says so.
      if (++connections === 1) server.onMessage(() => {});
    });
    await page.clock.install();
    await signIn(page, 'dana', '/account/profile');
    await expect.poll(() => connections).toBe(1);
    const unread = page.getByRole('link', { name: /^Intake( \d|$)/ });
    await expect(unread).toHaveText(/\d unread/);
    const before = (await unread.textContent()) ?? '';
    await receive(request, { subject: unique('Came unheard') });
    await expect(unread).toHaveText(before);
    await page.clock.fastForward(61_000);
    await page.clock.fastForward(2_000);
    await expect.poll(() => connections).toBe(2);
    await page.clock.fastForward(1_000);
    await expect(unread).not.toHaveText(before);
  },
);

test('what was typed into a form and not saved is found by nobody else who signs in in the same tab', async ({ page }) => {
  const email = page.getByRole('textbox', { name: 'Username' });
  await signIn(page, 'dana', '/account/users/add');
  await refuse(page, 'POST', /\/api\/users\/find/, 401, { reason: 'Token revoked or expired.' });
  await email.fill('half.typed@larkfield.example');
  await expect(page).toHaveURL(/\/account\/login$/);
  await page.unrouteAll();
  await signInByForm(page, 'lena');
  await page.goto('/account/users/add');
  await expect(email).toHaveValue('');
  await signIn(page, 'dana', '/account/users/add');
  await expect(email).toHaveValue('half.typed@larkfield.example');
});

isolated(
  'a toast stands at the top in the middle, ends after 5 s, and goes at a click (MSG-S-064, SES-S-067, MSG-R-442, SES-R-365, SES-R-366, SES-R-368)',
  async ({ page }) => {
    await signIn(page, 'priya');
    await expect(page.locator(LIST).first()).toBeVisible();
    await refuse(page, 'POST', /\/api\/messages\/bulk$/, 409, { message: 'Somebody else was quicker.' });
    await page.locator(`${LIST} input[type=checkbox]`).first().check();
    await page.clock.install();
    // From here on time passes only as it is told.
    await page.clock.pauseAt(Date.now() + 5000);
    const shown = toast(page, 'Somebody else was quicker.');
    const fail = async () => {
      await page.getByRole('button', { name: 'Mark as read' }).click();
      await expect(async () => {
        await page.clock.runFor(50);
        expect(await shown.isVisible()).toBe(true);
      }).toPass({ timeout: 10_000 });
    };
    await fail();
    const box = (await page.locator('.cp-toastbox').boundingBox())!;
    expect(box.y).toBeLessThan(60);
    expect(Math.abs(box.x + box.width / 2 - 720)).toBeLessThan(12);
    await page.clock.runFor(4500);
    await expect(shown).toBeVisible();
    await page.clock.runFor(1500);
    await expect(shown).toHaveCount(0);
    await fail();
    await shown.click();
    await page.clock.runFor(500);
    await expect(shown).toHaveCount(0);
  },
);

isolated('a page that is opened shows that it is on its way, and says so when the server cannot be reached', async ({ page }) => {
  await authenticate(page, 'dana');
  const brand = await hold(page, '**/api/branding');
  const renewal = await hold(page, '**/api/account/renew');
  const line = page.locator('.cp-loading');
  await page.goto('/intake');
  await expect(line).toBeVisible();
  const request = page.waitForRequest('**/api/account/renew');
  brand();
  await request;
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

test('the loading line runs while a request is under way; quiet ones leave it alone (MSG-S-065, SES-S-066, MSG-R-262, MSG-R-263, MSG-R-264, SES-R-222, SES-R-223, SES-R-224)', async ({
  page,
}) => {
  await signIn(page, 'dana');
  const line = page.locator('.cp-loading');
  const answer = await hold(page, '**/api/messages?*');
  await page.getByRole('link', { name: 'Release', exact: true }).click();
  await expect(line).toHaveAttribute('data-on', 'true');
  answer();
  await expect(page.getByRole('table', { name: 'Releases' }).locator('tbody tr').first()).toBeVisible();
  await expect(line).not.toHaveAttribute('data-on', 'true');
  const list = await hold(page, '**/api/intake');
  await page.getByRole('link', { name: /^Intake( \d|$)/ }).click();
  await expect(page.locator('[aria-label="Intake messages"]')).toHaveAttribute('aria-busy', 'true');
  await expect(line).not.toHaveAttribute('data-on', 'true');
  list();
  await expect(page.locator(LIST).first()).toBeVisible();
});

for (const status of [401, 403]) {
  test(`a revoked token (${status}) ends the session without a toast; the sign-in page says so, and the place is remembered (MSG-R-259, SES-R-212, SES-R-213, SES-R-214)`, async ({
    page,
  }) => {
    await signIn(page, 'priya');
    await expect(page.locator(LIST).first()).toBeVisible();
    await refuse(page, 'POST', /\/api\/intake$/, status, { reason: 'Token revoked or expired.' });
    await page.goto('/intake?view=unassigned');
    await expect(page).toHaveURL(/\/account\/login$/);
    await expect(page.locator('.cp-toastbox')).toHaveCount(0);
    await expect(page.getByText('Your session has ended.')).toBeVisible();
    await page.unroute(/\/api\/intake$/);
    await signInByForm(page, 'priya');
    await expect(page).toHaveURL(/\/intake\?view=unassigned$/);
  });
}

test('a refused page leads to /unauthorized with a toast; a refused act shows the toast and stays (MSG-R-260, MSG-R-261, SES-R-215, SES-R-216, MSG-T-106, SES-T-079, SES-S-010)', async ({
  page,
}) => {
  const text = 'You are not authorized to view this resource.';
  await signIn(page, 'priya');
  await expect(page.locator(LIST).first()).toBeVisible();
  await refuse(page, 'POST', /\/api\/messages\/bulk$/, 403);
  await page.locator(`${LIST} input[type=checkbox]`).first().check();
  await page.getByRole('button', { name: 'Mark as read' }).click();
  await expect(toast(page, text)).toBeVisible();
  await expect(page).toHaveURL(/\/intake$/);
  await refuse(page, 'GET', /\/api\/messages\?/, 403);
  await page.getByRole('link', { name: 'Release', exact: true }).click();
  await expect(toast(page, text)).toBeVisible();
  await expect(page).toHaveURL(/\/unauthorized$/);
});

test('a dialog is 700 px wide, at the top, modal, with a title and a close button (SES-S-057, SES-R-203, SES-R-204, SES-R-205, SES-R-206)', async ({
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
  await expect(nav.getByRole('link', { name: 'Release', exact: true })).toBeVisible();
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
  await signInByForm(page, 'priya');
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

test('/admin leads to the start page of the role, an unknown path to the place that is remembered (SES-R-035, SES-R-036, SES-S-007)', async ({
  page,
}) => {
  await signIn(page, 'dana', '/admin');
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
