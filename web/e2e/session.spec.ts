import { account, expect, isolated, signIn, signInByForm, test } from './support';

test('a person without a session is asked to sign in and then sees the page that was asked for (SES-R-039, SES-R-041)', async ({
  page,
}) => {
  await page.goto('/Intake/?view=unassigned');
  await expect(page).toHaveURL(/\/account\/login$/);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expect(page.getByText('Please enter your username.')).toBeVisible();
  await signInByForm(page, 'priya');
  await expect(page).toHaveURL(/\/intake\/?\?view=unassigned/i);
  await expect(page.getByRole('table', { name: 'Intake messages' })).toBeVisible();
});

test('a wrong password is said in the form, and what was typed stays', async ({ page }) => {
  await page.goto('/account/login');
  await page.getByLabel('Username').fill(account('rita'));
  await page.getByRole('textbox', { name: 'Password' }).fill('wrong');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expect(page.getByText('The user name or password is incorrect.')).toBeVisible();
  await expect(page.getByLabel('Username')).toHaveValue(account('rita'));
});

test('a click on an account of the demonstration fills the form', async ({ page }) => {
  await page.goto('/account/login');
  await page.getByRole('button', { name: /sam@carepost\.example/ }).click();
  await expect(page.getByLabel('Username')).toHaveValue(account('sam'));
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expect(page.getByText('Summit Orthopedics').first()).toBeVisible();
});

for (const [name, path, title, ids] of [
  ['dana', '/account/dashboard', 'Dashboard', 'SES-R-032, SES-S-005, MSG-R-042, MSG-S-005'],
  ['priya', '/intake', 'Intake', 'SES-R-030, SES-S-006, MSG-R-043'],
  ['ops', '/admin/dashboard/messaging', 'Messaging health', 'SES-R-031, SES-S-008, MSG-R-044, MSG-S-007'],
  ['rita', '/admin/dashboard/messaging', 'Messaging health', 'SES-R-297, SES-R-302'],
] as const) {
  test(`${name} lands on ${path}, also from an unknown path (SES-R-034, SES-R-037, SES-S-021, SES-S-026, ${ids})`, async ({ page }) => {
    await signIn(page, name);
    await expect(page).toHaveURL(new RegExp(`${path}$`));
    await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible();
    await page.goto('/no/such/page');
    await expect(page).toHaveURL(new RegExp(`${path}$`));
    await page.goto('/');
    await expect(page).toHaveURL(new RegExp(`${path}$`));
  });
}

test('a user is refused the console, and a user asking for the dashboard goes home (SES-R-038, SES-R-055, SES-R-301, SES-S-010, MSG-R-049, MSG-S-009)', async ({
  page,
}) => {
  await signIn(page, 'priya', '/admin/dashboard/messaging');
  await expect(page).toHaveURL(/\/unauthorized$/);
  await page.goto('/account/dashboard');
  await expect(page).toHaveURL(/\/intake$/);
});

test('a reload keeps the session, signing out ends it (SES-R-012, SES-R-013, SES-S-023)', async ({ page }) => {
  await signIn(page, 'dana');
  await page.reload();
  await expect(page.getByRole('heading', { level: 1, name: 'Dashboard' })).toBeVisible();
  await page.getByRole('button', { name: /^Profile:/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await expect(page.getByRole('heading', { name: 'You are signed out' })).toBeVisible();
  await page.goto('/intake');
  await expect(page).toHaveURL(/\/account\/login/);
});

test('the theme can be dark and stays so', async ({ page }) => {
  await signIn(page, 'dana');
  await page.getByRole('button', { name: /^Profile:/ }).click();
  await page.getByRole('menuitemradio', { name: 'Dark' }).click();
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'dark');
  await page.keyboard.press('Escape');
  await page.reload();
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'dark');
  await page.goto('/intake');
  await expect(page.getByRole('table', { name: 'Intake messages' })).toBeVisible();
});

test('the sidebar closes to a rail, the shortcuts are listed under the question mark', async ({ page }) => {
  await signIn(page, 'dana');
  await page.getByRole('button', { name: 'Collapse sidebar' }).click();
  await expect(page.getByRole('button', { name: 'Open sidebar' })).toBeVisible();
  await page.reload();
  await expect(page.getByRole('button', { name: 'Open sidebar' })).toBeVisible();
  await page.getByRole('heading', { level: 1 }).click();
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible();
});

isolated('a browser that is too old is told so (SES-R-011, SES-S-022, MSG-S-010)', async ({ page }) => {
  await page.addInitScript(() => {
    Reflect.deleteProperty(Array.prototype, 'findLast');
  });
  await page.goto('/intake');
  await expect(page).toHaveURL(/\/unsupportedbrowser$/);
  await expect(page.getByRole('heading', { name: 'This browser is too old' })).toBeVisible();
});
