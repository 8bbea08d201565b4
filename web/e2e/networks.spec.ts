import { type APIRequestContext, type Page, request as http } from '@playwright/test';
import { apiOf, dialog, unique } from './helpers';
import { account, afterwards, expect, isolated, signIn, test } from './support';

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true });

/** A network of its own. */
async function network(request: APIRequestContext) {
  const ops = apiOf(request, 'ops');
  const name = unique('Cascade');
  const { id } = await ops.post<{ id: string }>('/api/networks', { name });
  afterwards(() => ops.remove(`/api/networks/${id}`));
  return { id, name };
}

test('somebody becomes an administrator of a network by username, manages it, and is out again at once', async ({
  page,
  request,
  browser,
  baseURL,
}) => {
  const { id, name } = await network(request);
  await signIn(page, 'ops', `/networks/${id}/administrators`);
  await button(page, 'Add administrator').click();
  const opened = dialog(page, 'Add an Administrator');
  await opened.getByLabel('Username or e-mail address').fill(account('colin').toUpperCase());
  await opened.getByRole('button', { name: 'Add' }).click();
  await expect(page.getByRole('table', { name: 'Administrators' })).toContainText('Colin Marsh');
  const theirs = await browser.newPage({ baseURL });
  await signIn(theirs, 'colin', `/networks/${id}`);
  await expect(heading(theirs, name)).toBeVisible();
  await button(page, `Actions for ${account('colin')}`).click();
  await page.getByRole('menuitem', { name: 'Remove from the network' }).click();
  await dialog(page, 'Remove Administrator').getByRole('button', { name: 'Remove' }).click();
  await expect(page.getByRole('heading', { name: 'No administrators yet' })).toBeVisible();
  await theirs.goto(`/networks/${id}`);
  await expect(theirs).toHaveURL(/account\/login/);
  await theirs.close();
});

test('a network administrator lands on their network and sees its features, but no other network (SES-S-071)', {
  tag: '@critical',
}, async ({ page, request }) => {
  await signIn(page, 'mara');
  await expect(page).toHaveURL(/\/networks\/[0-9a-f-]{36}\/details$/);
  await expect(heading(page, 'Meridian Exchange')).toBeVisible();
  await expect(page.getByRole('region', { name: 'Single sign-on' })).toContainText('can set up a sign-in provider');
  const { id } = await network(request);
  await page.goto(`/networks/${id}/details`);
  await expect(page.getByRole('heading', { name: 'The network could not be loaded' })).toBeVisible();
  await page.goto('/admin/networks');
  await expect(page).toHaveURL(/unauthorized/);
});

isolated(
  'the token of a service account is copied, works from the allowed addresses alone, and ends with a new one',
  async ({ page, request, baseURL, context }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const { id } = await network(request);
    await signIn(page, 'ops', `/networks/${id}/serviceaccount`);
    /** The text copied from the dialog. */
    const copied = async () => {
      const opened = dialog(page, 'Token of the service account');
      await opened.getByRole('button', { name: 'Copy' }).click();
      const token = await opened.locator('[data-secret]').innerText();
      await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(token);
      await button(page, 'I have saved it').click();
      await expect(page.getByText(token)).toHaveCount(0);
      return token;
    };
    /** The answer to a system that calls with a token. */
    const status = async (token: string) => {
      const system = await http.newContext({ baseURL, extraHTTPHeaders: { Authorization: `Bearer ${token}` } });
      const answer = await system.get(`/api/networks/${id}`);
      await system.dispose();
      return answer.status();
    };
    await button(page, 'Create service account').click();
    const first = await copied();
    expect(await status(first)).toBe(403);
    await page.getByRole('combobox', { name: 'Addresses' }).pressSequentially('127.0.0.0/8,');
    await button(page, 'Save addresses').click();
    await expect.poll(() => status(first)).toBe(200);
    await page.reload();
    await expect(page.getByRole('region', { name: 'Account' })).toContainText('from 127.0.0.1');
    await button(page, 'New token').click();
    await button(page, 'Create new token').click();
    const second = await copied();
    expect([await status(first), await status(second)]).toEqual([401, 200]);
  },
);
