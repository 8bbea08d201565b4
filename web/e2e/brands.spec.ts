import type { Locator } from '@playwright/test';
import { apiOf, toast } from './helpers';
import { afterwards, expect, isolated, signIn, signInByForm, test } from './support';

/** A picture of one point. */
const DOT = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const ownColour = (button: Locator) => button.evaluate((e) => getComputedStyle(e).backgroundColor);

isolated(
  'a brand is shown at its host name before and after sign-in, and to its people at every other (SES-R-001, MSG-R-010)',
  async ({ page, baseURL }) => {
    const { port } = new URL(baseURL!);
    await page.goto('/account/login');
    await expect(page).toHaveTitle('Sign in · Carepost');
    // Another origin: nothing of it goes to the host of before.
    const own = await page.context().newPage();
    await own.goto(`http://harborline.localhost:${port}/account/login`);
    await expect(own).toHaveTitle('Sign in · Harborline Exchange');
    await expect(own.getByText('Harborline Exchange').first()).toBeVisible();
    const colour = () => ownColour(own.getByRole('button', { name: 'Sign in', exact: true }));
    expect(await colour()).not.toBe(await ownColour(page.getByRole('button', { name: 'Sign in', exact: true })));
    await own.close();

    await signInByForm(page, 'hollis');
    await expect(page).toHaveTitle(/ · Harborline Exchange$/);
    await page.reload();
    await expect(page).toHaveTitle(/ · Harborline Exchange$/);
  },
);

test('an operator makes a brand with a colour, a logo and a host name, and what its fax covers print', async ({ page, request }) => {
  await signIn(page, 'ops', '/admin/brands');
  const name = `brand-${Date.now().toString(36)}`;
  const api = apiOf(request, 'ops');
  afterwards(async () => {
    const { items } = await api.get<{ items: { id: string }[] }>(`/api/brands?search=${name}`);
    for (const { id } of items) await api.remove(`/api/brands/${id}`);
  });
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  const form = page.getByRole('dialog', { name: 'New brand' });
  await form.getByRole('textbox', { name: 'Name', exact: true }).fill('Bluestem Exchange');
  await form.getByRole('textbox', { name: 'Short name' }).fill(name);
  await form.getByRole('textbox', { name: 'Colour' }).fill('#1F5FA8');
  const logo = form.getByLabel('Logo', { exact: true });
  await logo.setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('no') });
  await expect(form.getByText('A logo is a PNG or JPEG picture.')).toBeVisible();
  await logo.setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: Buffer.from(DOT, 'base64') });
  await expect(form.getByRole('img', { name: 'The chosen logo' })).toBeVisible();
  await form.getByRole('combobox', { name: 'Host names' }).fill(`${name}.example`);
  await form.getByRole('button', { name: 'Create' }).click();
  await expect(toast(page, 'The brand was created.')).toBeVisible();
  await page.getByLabel('Search brands').fill(name);
  const row = page
    .getByRole('table', { name: 'Brands' })
    .locator('tbody tr')
    .filter({ hasText: `${name}.example` });
  await expect(row).toBeVisible();
  await row.getByRole('button', { name: 'Actions for Bluestem Exchange' }).click();
  await page.getByRole('menuitem', { name: 'Fax cover' }).click();
  const cover = page.getByRole('dialog', { name: 'Fax cover' });
  await cover.getByRole('textbox', { name: 'Confidentiality notice' }).fill('For the addressee alone.');
  await cover.getByRole('button', { name: 'Save Changes' }).click();
  await expect(toast(page, 'The fax cover was saved.')).toBeVisible();
});

test('people of a brand that hides invitations are offered none (SES-R-019, MSG-R-013)', async ({ page, request }) => {
  const api = apiOf(request, 'ops');
  type Brand = { id: string; version: number; name: string };
  const { items } = await api.get<{ items: Brand[] }>('/api/brands?search=carepost');
  const path = `/api/brands/${items[0]!.id}`;
  const hide = async (hideProviderInvitations: boolean) => api.put(path, { ...(await api.get<Brand>(path)), hideProviderInvitations });
  await hide(true);
  afterwards(() => hide(false));
  await signIn(page, 'priya', '/intake');
  const invite = page.getByText("Don't see the provider you're looking for?");
  await page.getByRole('button', { name: 'Find Provider' }).click();
  await expect(page.getByRole('dialog', { name: 'Find Provider' })).toBeVisible();
  await expect(invite).toHaveCount(0);
});
