import { toggle } from './helpers';
import { expect, signIn, test } from './support';

test.beforeEach(async ({ page }) => {
  await signIn(page, 'dana', '/intake');
  await expect(page.getByRole('table', { name: 'Intake messages' }).locator('tr[data-opens]').first()).toBeVisible();
});

const rows = '[aria-label="Intake messages"] tbody tr[data-opens]';

test('the list shows ten messages, newest first, and says how it is sorted', async ({ page }) => {
  await expect(page.getByRole('columnheader', { name: 'Received' })).toHaveAttribute('aria-sort', 'descending');
  expect(await page.locator(rows).count()).toBeLessThanOrEqual(10);
});

test('sorting, page size and filters live in the address, and a reload keeps them', async ({ page }) => {
  await page.getByRole('columnheader', { name: 'Status' }).getByRole('button').click();
  await expect(page).toHaveURL(/sort=status&dir=desc|dir=desc&sort=status/);
  await page.getByLabel('Rows per page').selectOption('25');
  await expect(page).toHaveURL(/size=25/);
  await page.getByRole('button', { name: 'Source', exact: true }).click();
  await toggle(page.getByRole('checkbox', { name: 'Fax' }));
  await page.keyboard.press('Escape');
  await expect(page).toHaveURL(/source=Fax/);
  await page.reload();
  await expect(page.getByRole('button', { name: 'Clear filter Source' })).toBeVisible();
  await page.getByRole('button', { name: 'Clear filters' }).first().click();
  await expect(page).not.toHaveURL(/source=/);
  await expect(page.getByRole('columnheader', { name: 'Status' })).toHaveAttribute('aria-sort', 'descending');
});

test('words searched for stay out of the address, and no match says what to do', async ({ page }) => {
  await page.getByLabel('Filter messages').fill('zzqx');
  await expect(page.getByRole('heading', { name: 'No message matches these filters' })).toBeVisible();
  expect(page.url()).not.toContain('zzqx');
  await page.getByRole('button', { name: 'Clear filters' }).last().click();
  await expect(page.locator(rows).first()).toBeVisible();
});

test('the slash key searches from anywhere', async ({ page }) => {
  await page.keyboard.press('/');
  await expect(page.getByLabel('Search messages, patients, senders')).toBeFocused();
});

test('j and Enter open a message, Escape comes back', async ({ page }) => {
  await page.keyboard.press('j');
  await expect(page.locator(`${rows}[data-cursor]`)).toHaveCount(1);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/intake\/[0-9a-f-]{36}$/);
  // The list has buttons named Process too, and stands until the message's screen has come.
  await expect(page.getByRole('button', { name: 'Back to Intake' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page).toHaveURL(/\/intake$/);
});

test('selected messages are assigned together', async ({ page }) => {
  const boxes = page.locator(`${rows} input[type=checkbox]`);
  await boxes.nth(0).check();
  await boxes.nth(1).check();
  await expect(page.getByRole('toolbar', { name: 'Selected rows' })).toContainText('2 selected');
  await page.getByRole('button', { name: 'Assign', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Assign 2 messages' });
  await dialog.getByRole('textbox', { name: 'Reviewer' }).fill('pri');
  await page.keyboard.press('Enter');
  await expect(page.getByText('2 messages assigned.')).toBeVisible();
});

test('a deletion names the message and can be left', async ({ page }) => {
  await page
    .getByRole('button', { name: /^Actions for/ })
    .first()
    .click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete Message' });
  await expect(dialog).toContainText('Are you sure?');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(dialog).toBeHidden();
});

test('on a phone the list becomes cards with a menu', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await expect(page.getByRole('list', { name: 'Intake messages' }).getByRole('listitem').first()).toBeVisible();
  await page.getByRole('button', { name: 'Menu' }).click();
  await expect(page.getByRole('link', { name: 'Release', exact: true })).toBeVisible();
});
