import type { Page } from '@playwright/test';
import { dialog, refuse, toast, unique } from './helpers';
import { account, expect, isolated, signIn, test } from './support';

const SEARCH = '**/api/directory/search';
const finder = (page: Page) => dialog(page, 'Find Provider');
const search = (page: Page) => finder(page).getByRole('button', { name: 'Search', exact: true });
const rows = (page: Page) => finder(page).locator('tbody tr');
const openFinder = async (page: Page) => {
  await signIn(page, 'priya');
  await page.getByRole('button', { name: 'Find Provider' }).click();
  await expect(finder(page)).toBeVisible();
};
const findOhio = async (page: Page) => {
  await finder(page).getByRole('combobox', { name: 'State' }).fill('ohi');
  await expect(page.getByRole('option', { name: 'Ohio' })).toBeVisible();
  await page.keyboard.press('Enter');
  await search(page).click();
  await expect(rows(page).first()).toBeVisible();
};

isolated(
  'providers and organizations are found by name and place, with what is known of each (SES-C-073, SES-T-022, SES-T-023, SES-T-024, SES-T-026, SES-T-027, SES-T-028, SES-T-029, SES-T-030, SES-S-046, SES-S-047, SES-S-048, SES-S-050, SES-S-051, SES-S-052, SES-S-053, SES-S-054, SES-R-148, SES-R-149, SES-R-150, SES-R-153, SES-R-155, SES-R-156, SES-R-157, SES-R-158, SES-R-159, SES-R-160, SES-R-161, SES-R-162, SES-R-174, SES-R-166, SES-R-173)',
  async ({ page, context }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await openFinder(page);
    for (const label of ['Provider first name', 'Provider last name', 'Organization name', 'City', 'State', 'Zip']) {
      await expect(finder(page).getByLabel(label, { exact: true })).toBeVisible();
    }
    await expect(finder(page).getByRole('button', { name: 'Close' })).toHaveCount(2);
    await finder(page).getByLabel('Provider last name').fill('ald');
    await finder(page).getByLabel('Zip').fill('4a3999');
    await expect(finder(page).getByLabel('Zip')).toHaveValue('43999');
    await finder(page).getByLabel('Zip').fill('');
    const state = finder(page).getByRole('combobox', { name: 'State' });
    await state.fill('armed');
    await expect(page.getByRole('option', { name: 'Armed Forces Americas' })).toBeVisible();
    await state.fill('Ohio');
    await page.keyboard.press('Tab');
    const request = page.waitForRequest(SEARCH);
    await search(page).click();
    expect((await request).postDataJSON()).toMatchObject({
      lastName: 'ald',
      state: 'OH',
      providerPageStart: 1,
      organizationPageStart: 1,
      pageSize: 10,
    });
    await expect(finder(page).getByRole('tab', { name: 'Providers (4)' })).toHaveAttribute('aria-selected', 'true');
    await expect(finder(page).getByRole('tab', { name: 'Organizations (0)' })).toBeVisible();
    expect(await finder(page).locator('thead th').allInnerTexts()).toEqual(['Name', 'Address', 'Phone numbers']);
    await expect(finder(page).getByRole('checkbox')).toHaveCount(0);

    const row = rows(page).filter({ hasText: 'Aldersey, Jun M' });
    await expect(row).toContainText('Tri-Valley Cardiology');
    await expect(row).toContainText('2200 Cedar Hollow Rd, Suite 310');
    await expect(row).toContainText('Larkfield, OH 43999');
    await row.getByRole('button', { name: 'Copy jm.aldersey@trivalley.direct.example' }).click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('jm.aldersey@trivalley.direct.example');
    await row.getByRole('button', { name: 'Phone numbers of Aldersey, Jun M' }).hover();
    const phones = page.locator('.mantine-Popover-dropdown').filter({ visible: true });
    await expect(phones).toContainText('Phone Numbers');
    await expect(phones).toContainText('(740) 555-0185');
    await expect(phones).toContainText('740-555-0188');
    await expect(rows(page).filter({ hasText: 'Aldous, Petra' })).toContainText('DIRECT address is not available.');

    await finder(page).getByLabel('Provider last name').fill('');
    await finder(page).getByLabel('Organization name').fill('northgate');
    await search(page).click();
    await finder(page)
      .getByRole('tab', { name: /^Organizations \([1-9]/ })
      .click();
    await expect(rows(page).filter({ hasText: 'records@northgate.direct.example' })).toContainText('Northgate Regional Hospital');
  },
);

test('a search needs a field, shows that it runs, and begins both lists anew (SES-R-151, SES-R-152, SES-R-169)', async ({ page }) => {
  await openFinder(page);
  let calls = 0;
  const gates: (() => void)[] = [];
  await page.route(SEARCH, async (route) => {
    calls++;
    await new Promise<void>((open) => gates.push(open));
    await route.continue();
  });
  await search(page).click();
  await expect(finder(page).getByLabel('Provider first name')).toBeFocused();
  await finder(page).getByLabel('City').fill('   ');
  await page.keyboard.press('Enter');
  expect(calls).toBe(0);
  await finder(page).getByLabel('City').fill('bell');
  await page.keyboard.press('Enter');
  await expect(search(page)).toBeDisabled();
  await expect(search(page)).toHaveAttribute('data-loading', 'true');
  await expect.poll(() => gates.length).toBe(1);
  gates[0]!();
  await expect(rows(page).first()).toBeVisible();
  await expect(search(page)).toBeEnabled();
});

test('a list reads on at its end, alone and only while there is more (SES-R-168, SES-R-171, SES-R-172, SES-S-049)', async ({ page }) => {
  await openFinder(page);
  const requests: { providerPageStart: number; organizationPageStart: number }[] = [];
  page.on('request', (r) => r.url().includes('/directory/search') && requests.push(r.postDataJSON() as (typeof requests)[number]));
  await findOhio(page);
  const box = finder(page).getByRole('region', { name: 'Providers' });
  expect(await box.evaluate((e) => getComputedStyle(e).maxHeight)).toBe('275px');
  const total = Number(
    /\((\d+)\)/.exec(
      await finder(page)
        .getByRole('tab', { name: /^Providers/ })
        .innerText(),
    )![1],
  );
  expect(total).toBeGreaterThan(10);
  await expect(rows(page)).toHaveCount(10);
  const pages = Math.ceil(total / 10);
  for (let page_ = 2; page_ <= pages; page_++) {
    await box.evaluate((e) => e.scrollTo(0, e.scrollHeight));
    await expect(rows(page)).toHaveCount(Math.min(total, page_ * 10));
  }
  await box.evaluate((e) => e.scrollTo(0, 0));
  await box.evaluate((e) => e.scrollTo(0, e.scrollHeight));
  expect(requests.map((a) => [a.providerPageStart, a.organizationPageStart])).toEqual(Array.from({ length: pages }, (_, i) => [i + 1, 1]));
});

test('in a release the chosen Direct addresses go to the recipients, and Cancel leaves them out (SES-T-031, SES-T-032, SES-R-163, SES-R-164, SES-R-165, MSG-R-075, MSG-S-052)', async ({
  page,
}) => {
  await signIn(page, 'priya', '/release/new');
  const open = () => page.getByRole('button', { name: 'Directory', exact: true }).click();
  await open();
  await findOhio(page);
  await expect(finder(page).getByRole('button', { name: 'Select' })).toBeDisabled();
  const row = rows(page).filter({ hasText: 'Aldane, Rowan' });
  await row.getByRole('checkbox').check();
  await expect(finder(page).getByText('1 selected')).toBeVisible();
  await expect(rows(page).filter({ hasText: 'Aldous, Petra' }).getByRole('checkbox')).toBeDisabled();
  await finder(page).getByRole('button', { name: 'Cancel' }).click();
  await expect(page.locator('.cp-tag')).toHaveCount(0);
  await open();
  await finder(page).getByLabel('Organization name').fill('summit ortho');
  await search(page).click();
  await finder(page)
    .getByRole('tab', { name: /^Organizations/ })
    .click();
  await rows(page).filter({ hasText: 'Summit Orthopedics' }).getByRole('checkbox').check();
  await finder(page).getByRole('button', { name: 'Select' }).click();
  await expect(finder(page)).toBeHidden();
  await expect(page.locator('.cp-tag').filter({ hasText: '@summit-ortho.direct.carepost.example' })).toBeVisible();
});

test('somebody who is missing is invited, and the sender gets a copy (SES-C-018, SES-T-034, SES-T-035, SES-T-036, SES-T-037, SES-T-039, SES-T-076, SES-S-055, SES-R-167, SES-R-176, SES-R-177, SES-R-179, SES-R-180, SES-R-181, SES-R-182, SES-R-183, SES-R-186, SES-R-187, SES-R-188, SES-R-189, SES-R-192, SES-R-195)', async ({
  page,
}) => {
  const name = unique('Rowan');
  await openFinder(page);
  await finder(page)
    .getByText("Don't see the provider you're looking for? Invite them to use the product or share their existing Direct address with you.")
    .click();
  const box = dialog(page, 'Build Your Network');
  const send = box.getByRole('button', { name: 'Send', exact: true });
  await expect(box.getByText('A copy of the invitation is sent to your own email address.')).toBeVisible();
  let calls = 0;
  page.on('request', (r) => r.url().includes('/sendinvitation') && calls++);
  await send.click();
  await expect(box.getByText('Full name is required.')).toBeVisible();
  await expect(box.getByText('Email address is required.')).toBeVisible();
  await expect(box.getByLabel('To', { exact: false }).first()).toHaveAttribute('aria-invalid', 'true');
  await box.getByRole('textbox', { name: 'To' }).fill(name);
  await box.getByLabel('Email address').fill('rowan@');
  await send.click();
  await expect(box.getByText('Please enter a valid email address.')).toBeVisible();
  expect(calls).toBe(0);
  await box.getByLabel('Email address').fill('rowan@trivalley.example');
  await box.getByRole('combobox', { name: 'Share Your Direct Address' }).fill('records@lark');
  await page.keyboard.press('Tab');
  const request = page.waitForRequest('**/api/users/sendinvitation');
  await send.click();
  expect((await request).postDataJSON()).toEqual({
    fullName: name,
    emailAddress: 'rowan@trivalley.example',
    directAddress: 'records@larkfield.direct.carepost.example',
  });
  await expect(toast(page, 'Invitation has been sent.')).toBeVisible();
  await expect(box).toBeHidden();
  await expect(finder(page)).toBeVisible();
  await page.goto('/demo/mailbox');
  await expect(page.getByRole('navigation', { name: 'E-mails' }).getByText(`Your invitation to ${name}`)).toBeVisible();
  await expect(page.getByText(account('priya')).first()).toBeVisible();
});

test('Escape closes the invitation alone: what was typed under it stays', async ({ page }) => {
  await openFinder(page);
  await finder(page).getByLabel('City').fill('bell');
  await finder(page).getByText("Don't see the provider").click();
  const invitation = dialog(page, 'Build Your Network');
  await expect(invitation).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(invitation).toBeHidden();
  await expect(finder(page).getByLabel('City')).toHaveValue('bell');
  await page.keyboard.press('Escape');
  await expect(finder(page)).toBeHidden();
});

test('an invitation that fails says so and stays open (SES-T-075, SES-R-193, SES-R-194)', async ({ page }) => {
  await openFinder(page);
  await finder(page).getByText("Don't see the provider").click();
  const box = dialog(page, 'Build Your Network');
  await refuse(page, 'POST', /\/sendinvitation$/, 500);
  await box.getByRole('textbox', { name: 'To' }).fill('Rowan Aldane');
  await box.getByLabel('Email address').fill('rowan@trivalley.example');
  await box.getByRole('button', { name: 'Send', exact: true }).click();
  await expect(toast(page, 'An error occurred while sending the invitation.')).toBeVisible();
  await expect(box.getByLabel('Email address')).toHaveValue('rowan@trivalley.example');
});
