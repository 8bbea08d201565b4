import type { Page } from '@playwright/test';
import { authenticate, expect, openFound, test } from './support';

/** Opens the latest consultation, a PDF; other tests send messages of other kinds meanwhile. */
async function openFirst(page: Page) {
  await page.goto('/intake?from=2000-01-01');
  await openFound(page, 'Cardiology consultation');
}

test.beforeEach(async ({ page }) => authenticate(page, 'dana'));

test('a fax shows its pages, and they can be zoomed, turned and searched', async ({ page }) => {
  await openFirst(page);
  const viewer = page.getByRole('toolbar', { name: 'Document tools' });
  await expect(page.locator('.react-pdf__Page canvas').first()).toBeVisible();
  await expect(viewer.getByText(/of \d+/)).toBeVisible();
  await viewer.getByRole('button', { name: 'Pages' }).click();
  const pages = page.getByRole('navigation', { name: 'Pages' });
  await pages.getByRole('button', { name: 'Page 1', exact: true }).click();
  await expect(pages.getByRole('button', { name: 'Page 1', exact: true })).toHaveAttribute('aria-current', 'page');
  await viewer.getByRole('button', { name: 'Zoom in' }).click();
  await expect(viewer.getByRole('button', { name: /^Zoom: \d+%/ })).toBeVisible();
  await viewer.getByRole('button', { name: 'Rotate' }).click();
  const saved = page.waitForEvent('download');
  await viewer.getByRole('button', { name: 'Download' }).click();
  await saved;
  await viewer.getByRole('button', { name: 'Find in document' }).click();
  await page.getByRole('textbox', { name: 'Find in document' }).fill('zzqx');
  await expect(page.getByText('Not found')).toBeVisible();
});

test('next and previous turn the messages, and the list knows the place', async ({ page }) => {
  await openFirst(page);
  await expect(page.getByText(/^1 of [\d,]+\+?$/)).toBeVisible();
  const before = page.url();
  await page.getByRole('button', { name: 'Next message' }).click();
  await expect(page).not.toHaveURL(before);
  // Keys mean nothing until the next message stands there.
  await expect(page.getByText(/^2 of [\d,]+\+?$/)).toBeVisible();
  await page.keyboard.press('k');
  await expect(page).toHaveURL(before);
});

test('what is typed about the patient is saved when a field is left (MSG-R-007)', async ({ page }) => {
  await openFirst(page);
  const id = page.getByRole('textbox', { name: 'Patient ID' });
  await expect(id).toBeVisible();
  const value = `LFM-${Date.now() % 100_000}`;
  await id.fill(value);
  await page.keyboard.press('Tab');
  await expect(page.getByText('Saved').first()).toBeVisible();
  await page.reload();
  await expect(page.getByRole('textbox', { name: 'Patient ID' })).toHaveValue(value);
});

test('a wrong birth date is refused where it stands', async ({ page }) => {
  await openFirst(page);
  const birth = page.getByRole('textbox', { name: 'Birth date' });
  await birth.fill('13452026');
  await page.keyboard.press('Tab');
  await expect(page.getByText('Please enter a valid value for this field.')).toBeVisible();
});

test('pane widths move with the arrow keys and are remembered', async ({ page }) => {
  await openFirst(page);
  const handle = page.getByRole('separator', { name: 'Width of the attachments' });
  const before = Number(await handle.getAttribute('aria-valuenow'));
  await handle.focus();
  await page.keyboard.press('ArrowRight');
  await expect(handle).toHaveAttribute('aria-valuenow', String(before + 16));
  await page.reload();
  await expect(handle).toHaveAttribute('aria-valuenow', String(before + 16));
  await handle.dblclick();
  await expect(handle).toHaveAttribute('aria-valuenow', '252');
});

test('on a phone document, patient and details are tabs and the actions stay at the foot', async ({ page }) => {
  await openFirst(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await expect(page.locator('.react-pdf__Page canvas').first()).toBeVisible();
  await page.getByRole('tab', { name: /Patient/ }).click();
  await expect(page.getByRole('textbox', { name: /Last name/ })).toBeVisible();
  await page.getByRole('tab', { name: 'Details' }).click();
  await expect(page.getByRole('heading', { name: 'Attachments' })).toBeVisible();
});

test('the activity of a message can be looked through', async ({ page }) => {
  await openFirst(page);
  await page.getByRole('button', { name: 'Show all' }).click();
  const dialog = page.getByRole('dialog', { name: 'Activity' });
  await expect(dialog.getByRole('columnheader', { name: 'Type' })).toBeVisible();
});
