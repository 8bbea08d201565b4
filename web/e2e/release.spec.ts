import type { Page } from '@playwright/test';
import { authenticate, expect, openFound, signIn, test } from './support';

// These follow messages through sending and delivery, which only the server itself can do.

const SUMMIT = 'intake@summit-ortho.direct.carepost.example';
const FROM = 'referrals@larkfield.direct.carepost.example';
/** A subject of its own per test, so that tests find what they sent. */
const unique = (words: string) => `${words} ${Date.now().toString(36)}`;
const dialog = (page: Page, name?: string | RegExp) => page.getByRole('dialog', name ? { name } : undefined);
const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });

async function choose(page: Page, selector: string, option: string | RegExp) {
  await page.locator(selector).click();
  await page.getByRole('option', { name: option, exact: true }).first().click();
}
async function addTo(page: Page, address: string) {
  await page.locator('#release-to').fill(address);
  await page.keyboard.press('Enter');
}
async function fillPatient(page: Page) {
  await field(page, 'First name').fill('Bridget');
  await field(page, 'Last name').fill('Halloran');
  await field(page, 'Birth date').fill('7/2/79');
  await choose(page, '#release-gender', 'Female');
}
async function attachText(page: Page, name = 'Visit note.txt') {
  await page.getByRole('button', { name: 'Attach with details' }).click();
  const box = dialog(page, /Attach/);
  await box.locator('input[type=file]').setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from('Right knee pain.') });
  await box.getByLabel('Confidentiality').first().click();
  await page.getByRole('option', { name: 'Normal' }).click();
  await box.getByRole('button', { name: 'Attach' }).click();
  await expect(page.getByRole('button', { name: `Edit ${name}` })).toBeVisible();
}
/** Once the server has a draft with this subject; to be called before it is typed. */
const saved = (page: Page, subject: string) =>
  page.waitForResponse((r) => r.request().method() === 'PUT' && r.ok() && (r.request().postData() ?? '').includes(subject));
async function openNew(page: Page) {
  await page.goto('/release/new');
  await expect(page.getByRole('heading', { name: 'New release' })).toBeVisible();
}

test.describe('an administrator', () => {
  test.beforeEach(async ({ page }) => authenticate(page, 'dana'));

  test('finds drafts and sent messages in views, and searches them out of the address (SES-S-014, MSG-R-056)', async ({ page }) => {
    await page.goto('/release');
    const rows = page.getByRole('table', { name: 'Releases' }).locator('tbody').getByRole('row');
    await expect(rows.first()).toBeVisible();
    await page.getByText('Drafts', { exact: true }).click();
    await expect(page).toHaveURL(/view=drafts/);
    await expect(rows.first().getByText('Saved')).toBeVisible();
    await page.getByLabel('Search releases').fill('zzqx');
    await expect(page.getByRole('heading', { name: 'No release matches these filters' })).toBeVisible();
    expect(page.url()).not.toContain('zzqx');
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await expect(rows.first()).toBeVisible();
  });

  test('is told everything that keeps a message from being sent (SES-S-015, MSG-R-265, MSG-R-267, MSG-R-269, MSG-R-298, MSG-S-054, MSG-T-051, MSG-T-052, MSG-T-061)', async ({
    page,
  }) => {
    await openNew(page);
    await page.getByRole('button', { name: 'Review and send' }).click();
    const box = page.locator('#release-errors');
    for (const text of [
      'Please fix the following errors before sending.',
      '"Release Type" is required.',
      '"To" address is required.',
      '"Patient Details" information is required.',
    ])
      await expect(box.getByText(text)).toBeVisible();
    await expect(page.locator('#release-releaseType')).toBeFocused();
  });

  test('sees an address that is not valid marked (MSG-R-274, MSG-T-054)', async ({ page }) => {
    await openNew(page);
    await addTo(page, 'nobody@no-such-practice');
    await expect(page.getByText('This address is not valid.')).toBeVisible();
    await page.getByRole('button', { name: 'Remove nobody@no-such-practice' }).click();
    await expect(page.getByText('This address is not valid.')).toBeHidden();
  });

  test('fills a quick release by its type, with both ends fixed (MSG-R-069, MSG-R-073, MSG-R-243)', async ({ page }) => {
    await openNew(page);
    await choose(page, '#release-releaseType', 'Cardiology referral');
    await expect(page.locator('#release-from')).toBeDisabled();
    await expect(page.locator('#release-from')).toHaveValue(FROM);
    await expect(page.locator('#release-to')).toHaveAttribute('readonly', '');
    await expect(page.getByText('office@trivalley.direct.carepost.example')).toBeVisible();
    await expect(field(page, 'Subject')).toHaveValue('Cardiology referral');
  });

  test('keeps a list of saved addresses (MSG-R-074, MSG-R-419, MSG-S-051, MSG-T-092)', async ({ page }) => {
    await openNew(page);
    await page.getByRole('button', { name: 'Saved addresses' }).click();
    const box = dialog(page, 'Saved addresses');
    const address = `care.${Date.now().toString(36)}@northgate.direct.carepost.example`;
    await box.getByLabel('Add to the list').fill(address);
    await page.keyboard.press('Enter');
    await box.getByRole('button', { name: 'Save list' }).click();
    await expect(page.getByText('Direct Address Cache has been saved successfully.')).toBeVisible();
    await box.getByRole('checkbox', { name: address }).check();
    await box.getByRole('button', { name: 'Add address' }).click();
    await expect(page.locator('.rel-address').getByText(address)).toBeVisible();
  });

  test('is told what is wrong with a file before it is uploaded (MSG-R-275, MSG-R-276, MSG-R-278, MSG-T-010, MSG-T-055, MSG-T-056, MSG-T-058)', async ({
    page,
  }) => {
    await openNew(page);
    await page.getByRole('button', { name: 'Attach with details' }).click();
    const box = dialog(page, /Attach/);
    await box.getByRole('button', { name: 'Attach' }).click();
    await expect(box.getByText('Please select a file.')).toBeVisible();
    const pick = (name: string, buffer: Buffer) => box.locator('input[type=file]').setInputFiles({ name, mimeType: '', buffer });
    await pick('viewer.exe', Buffer.from('x'));
    await expect(box.getByText('Your attachment file type exe is not supported')).toBeVisible();
    await pick('empty.pdf', Buffer.alloc(0));
    await expect(box.getByText('File is empty. Please upload something more substantial.')).toBeVisible();
    await pick('note.txt', Buffer.from('x'));
    await expect(box.getByRole('combobox', { name: 'Confidentiality' })).toHaveValue('Normal');
    await box.getByLabel('Notes').fill('abc');
    await expect(box.getByText('Characters remaining: 252')).toBeVisible();
  });

  test('is asked when leaving a release with a From address, and finds a saved draft again (SES-S-016, MSG-R-235, MSG-R-238, MSG-R-386, MSG-R-416, MSG-T-090)', async ({
    page,
  }) => {
    const subject = unique('Put aside');
    await openNew(page);
    await choose(page, '#release-from', FROM);
    await field(page, 'Subject').fill(subject);
    await page.getByRole('link', { name: /^Intake( \d|$)/ }).click();
    const question = dialog(page, 'Save this draft?');
    await expect(question).toBeVisible();
    await question.getByRole('button', { name: 'Keep editing' }).click();
    await expect(field(page, 'Subject')).toHaveValue(subject);
    await page.getByRole('link', { name: /^Intake( \d|$)/ }).click();
    await question.getByRole('button', { name: 'Save' }).click();
    await expect(page).toHaveURL(/\/intake$/);
    await page.goto('/release?view=drafts');
    await page.getByRole('row', { name: new RegExp(subject) }).click();
    await expect(page).toHaveURL(/\/release\/draft\//);
    await expect(field(page, 'Subject')).toHaveValue(subject);
    await page.getByRole('button', { name: 'Discard' }).click();
    await dialog(page, 'Discard this release?').getByRole('button', { name: 'Discard' }).click();
    await expect(page.getByText('The draft was deleted successfully.')).toBeVisible();
    await expect(page).toHaveURL(/\/release$/);
  });

  test('without an address to send from is told so, leaves unasked, and finds the text among the drafts (MSG-R-239, MSG-R-270, MSG-T-053)', async ({
    page,
  }) => {
    await page.route('**/api/documentsources/release?*', (route) => route.fulfill({ json: { items: [] } }));
    const subject = unique('Nowhere from');
    await openNew(page);
    const draft = saved(page, subject);
    await field(page, 'Subject').fill(subject);
    await page.getByRole('button', { name: 'Review and send' }).click();
    await expect(page.locator('#release-errors').getByText('"From" address is required.')).toBeVisible();
    await page.getByRole('link', { name: /^Intake( \d|$)/ }).click();
    await expect(page).toHaveURL(/\/intake$/);
    await draft;
    await page.unrouteAll();
    await page.goto('/release?view=drafts');
    await page.getByRole('row', { name: new RegExp(subject) }).click();
    await page.getByRole('button', { name: 'Discard' }).click();
    await dialog(page, 'Discard this release?').getByRole('button', { name: 'Discard' }).click();
    await expect(page.getByText('The draft was deleted successfully.')).toBeVisible();
    await openNew(page);
    await expect(field(page, 'Subject')).toHaveValue('');
  });

  test('keeps unsaved text over a reload, unreadable in the browser storage', async ({ page }) => {
    await openNew(page);
    await field(page, 'Message').fill('Please see Ms. Halloran.');
    await expect.poll(() => page.evaluate(() => Object.keys(sessionStorage).some((k) => k.includes('sealed.')))).toBe(true);
    expect(await page.evaluate(() => JSON.stringify(sessionStorage))).not.toContain('Halloran');
    await page.reload();
    await expect(field(page, 'Message')).toHaveValue('Please see Ms. Halloran.');
  });

  test('sends a release and follows its delivery (SES-S-017, MSG-R-080, MSG-R-081, MSG-R-236, MSG-R-237, MSG-R-415, MSG-R-008, MSG-R-082, MSG-R-083, MSG-R-417, MSG-R-468, MSG-S-039, MSG-T-017, MSG-T-089, MSG-T-091)', async ({
    page,
  }) => {
    const subject = unique('Right knee');
    await openNew(page);
    await choose(page, '#release-releaseType', 'Referral');
    await choose(page, '#release-from', FROM);
    await addTo(page, SUMMIT);
    await field(page, 'Subject').fill(subject);
    await field(page, 'Message').fill('Dear colleagues,\n\nplease see Ms. Halloran within two weeks.');
    await fillPatient(page);
    await attachText(page);
    await page.getByRole('button', { name: 'Review and send' }).click();
    const box = dialog(page, 'Review and send');
    await expect(box.getByText(subject)).toBeVisible();
    await expect(box.getByText(SUMMIT)).toBeVisible();
    await expect(box.getByRole('table', { name: 'Attachments' }).getByText('1 k')).toBeVisible();
    await expect(box.getByText('Track Fax Responses')).toBeHidden();
    await expect(box.getByLabel('Comments')).toBeVisible();
    await box.getByLabel('Reason for disclosure').fill('Continuing care');
    const sending = page.waitForRequest((r) => r.url().endsWith('/send'));
    await box.getByRole('button', { name: 'Confirm' }).click();
    expect((await sending).headers()['idempotency-key']).toMatch(/^[0-9a-f]{32}$/);
    await expect(page.getByText('The message was sent successfully.')).toBeVisible();
    await expect(page).toHaveURL(/\/release$/);

    await page.getByRole('row', { name: new RegExp(subject) }).click();
    await expect(page.getByRole('heading', { name: subject })).toBeVisible();
    const steps = page.getByRole('list', { name: /Delivery to/ });
    await expect(steps.getByText('Accepted')).toBeVisible();
    // The states arrive by themselves.
    await expect(steps.getByText('Dispatched').or(steps.getByText('Processed')).first()).toBeVisible();
    await expect(page.locator('.rel-recipient').getByText('Delivered')).toBeVisible({ timeout: 30_000 });
    await expect(page.getByText('Continuing care')).toBeVisible();

    await page.getByRole('button', { name: 'Activity' }).click();
    await expect(dialog(page, 'Activity').getByRole('columnheader', { name: 'User' })).toBeVisible();
    await expect(dialog(page, 'Activity').getByText('Dana Whitfield').first()).toBeVisible();
    await page.keyboard.press('Escape');

    await page.getByRole('button', { name: 'Delete' }).click();
    await expect(dialog(page, 'Delete Message').getByText(subject)).toBeVisible();
    await expect(dialog(page, 'Delete Message').getByText('Are you sure?')).toBeVisible();
    await dialog(page, 'Delete Message').getByRole('button', { name: 'OK' }).click();
    await expect(page.getByText('Your message is being deleted')).toBeVisible();
    await expect(page).toHaveURL(/\/release$/);
  });

  test('forwards a received message with its attachments (SES-S-018, SES-S-019, MSG-R-092, MSG-R-241, MSG-R-384, MSG-S-017, MSG-S-018)', async ({
    page,
  }) => {
    await page.goto('/intake?from=2000-01-01');
    await openFound(page, 'Laboratory results');
    const id = page.url().split('/').pop();
    await page.goto(`/release/forward/${id}`);
    const question = dialog(page, 'Include the attachments?');
    await expect(question.getByRole('button', { name: 'Remove' })).toBeVisible();
    await question.getByRole('button', { name: 'Include' }).click();
    await expect(page).toHaveURL(/\/release\/forward\/draft\//);
    await expect(page.getByRole('heading', { name: 'Forward', exact: true })).toBeVisible();
    await expect(field(page, 'Subject')).toHaveValue(/^FW: /);
    await expect(page.locator('.rel-att')).not.toHaveCount(0);
    await page.getByRole('button', { name: 'Discard' }).click();
    await dialog(page, 'Discard this release?').getByRole('button', { name: 'Discard' }).click();
    await expect(page.getByText('The draft was deleted successfully.')).toBeVisible();
  });

  test('answers a received message to its sender, without release type and patient (SES-S-020, MSG-R-268, MSG-R-082)', async ({ page }) => {
    await page.goto('/intake?from=2000-01-01');
    await openFound(page, 'Laboratory results');
    const id = page.url().split('/').pop();
    await page.goto(`/release/reply/${id}`);
    await expect(page.getByRole('heading', { name: 'Reply', exact: true })).toBeVisible();
    await expect(field(page, 'Subject')).toHaveValue(/^RE: /);
    await expect(page.locator('.rel-address .cp-tag')).toHaveCount(1);
    await page.getByRole('button', { name: 'Review and send' }).click();
    await expect(dialog(page, 'Review and send')).toBeVisible();
    await expect(dialog(page, 'Review and send').getByText('Comments')).toBeHidden();
    await dialog(page, 'Review and send').getByRole('button', { name: 'Cancel' }).click();
  });
});

test('a user sees no activity of a sent message (MSG-R-098)', async ({ page }) => {
  await signIn(page, 'priya', '/release?view=sent');
  await page.getByRole('table', { name: 'Releases' }).getByRole('row').nth(1).click();
  await expect(page.getByRole('heading', { name: 'Delivery' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Activity' })).toHaveCount(0);
});

test('while the organization is not activated, a new release leads back to the list (MSG-R-060)', async ({ page }) => {
  await signIn(page, 'nia', '/release/new');
  await expect(page).toHaveURL(/\/release$/);
  await expect(page.getByRole('button', { name: 'New release' })).toHaveCount(0);
});

test('people of the console are led to their own start page (MSG-R-059)', async ({ page }) => {
  await signIn(page, 'ops', '/release/new');
  await expect(page).toHaveURL(/\/admin\/dashboard\/messaging/);
});
