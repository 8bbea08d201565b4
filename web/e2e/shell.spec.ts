import type { Page } from '@playwright/test';
import { apiOf, change, dialog, receive, refuse, unique } from './helpers';
import { expect, isolated, signIn, signInByForm, test, told } from './support';

const CRITICAL = { tag: '@critical' };
const LIST = '[aria-label="Intake messages"] tbody tr[data-opens]';
const switcher = (page: Page) => page.getByRole('button', { name: /^Organization: / });

// The server remembers where a person worked last.
test.afterEach(async ({ request }) => {
  const dana = apiOf(request, 'dana');
  const { organizations } = await dana.get<{ organizations: { id: string; subDomain: string }[] }>('/api/users/profiledata');
  await dana.post('/api/account/change', { orgId: organizations.find((o) => o.subDomain === 'larkfield')!.id });
});

const switchTo = async (page: Page, name: string) => {
  await switcher(page).click();
  await page.locator('.cp-orglist').getByText(name).click();
  await expect(switcher(page)).toContainText(name);
};

test(
  'every window of a browser shows the organization that one of them switches to, and nothing of the one before',
  CRITICAL,
  async ({ page, context, request }) => {
    const subject = unique('For Larkfield only');
    await receive(request, { subject });
    const own = page.locator(LIST).filter({ hasText: subject });
    await signIn(page, 'dana', '/intake');
    await expect(own).toBeVisible();
    await page.evaluate(() => {
      (window as unknown as { sameDocument: boolean }).sameDocument = true;
    });
    const other = await context.newPage();
    await other.goto('/account/users');
    await expect(other.getByText('priya@carepost.example')).toBeVisible();
    await other.getByRole('button', { name: 'Find Provider' }).click();
    await expect(dialog(other)).toBeVisible();

    await switchTo(page, 'Summit Orthopedics');
    await expect(page.locator(LIST).first()).toBeVisible();
    await expect(own).toHaveCount(0);
    await expect(page).toHaveURL(/\/intake$/);
    expect(await page.evaluate(() => (window as unknown as { sameDocument?: boolean }).sameDocument)).toBe(true);
    // No administrator there.
    await expect(other).toHaveURL(/\/unauthorized$/);
    await expect(other.getByText('priya@carepost.example')).toHaveCount(0);
    await expect(dialog(other)).toHaveCount(0);

    await other.goto('/intake');
    await switchTo(other, 'Larkfield Family Medicine');
    await expect(switcher(page)).toContainText('Larkfield');
    await expect(own).toBeVisible();
  },
);

test(
  'what was typed for one organization is not saved in another that a window did not hear of, which a notice at the top in the middle says (SES-R-365)',
  CRITICAL,
  async ({ page, context }) => {
    await signIn(page, 'dana');
    const deaf = await context.newPage();
    await deaf.addInitScript(() => {
      Object.defineProperty(BroadcastChannel.prototype, 'onmessage', { set: () => {} });
    });
    // Hub events would trigger a request and reveal the switch.
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
    await told(deaf, 'This was not done because you switched organizations in another window.');
    const notice = deaf.locator('.cp-toastbox');
    const middle = await notice.evaluate((box) => {
      const { left, width, top } = box.getBoundingClientRect();
      return { across: (left + width / 2) / innerWidth, top };
    });
    expect(middle.across).toBeCloseTo(0.5, 1);
    expect(middle.top).toBeLessThan(60);
    // Dana sets nothing there.
    await expect(deaf).toHaveURL(/\/unauthorized$/);
    expect(saved).toEqual([]);
  },
);

test('a window asks for sign-in when somebody signs out or somebody else signs in in another', CRITICAL, async ({ page, context }) => {
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

test('what was typed into a form and not saved is found by nobody else who signs in in the same tab', CRITICAL, async ({ page }) => {
  const userName = page.getByRole('textbox', { name: 'Username' });
  await signIn(page, 'dana', '/account/users/add');
  await refuse(page, 'POST', /\/api\/users\/find/, 401, { reason: 'Token revoked or expired.' });
  await userName.fill('half.typed@larkfield.example');
  await expect(page).toHaveURL(/\/account\/login$/);
  await page.unrouteAll();
  await signInByForm(page, 'lena');
  await page.goto('/account/users/add');
  await expect(userName).toHaveValue('');
  await signIn(page, 'dana', '/account/users/add');
  await expect(userName).toHaveValue('half.typed@larkfield.example');
});
