import type { Page } from '@playwright/test';
import { apiOf, hold, pdf, receive, refuse, toast, unique } from './helpers';
import { expect, signIn, test } from './support';

const LARKFIELD = '+17405550110';
const SUMMIT = '+17405550120';
/** Always busy. */
const BUSY = '+17405550197';

const dialog = (page: Page, name: string) => page.getByRole('dialog', { name, exact: true });
const draftTo = (to: string[], subject: string) => ({ subject, to, files: [pdf('Note.pdf')], more: { fromAddress: LARKFIELD } });

test.describe('fax', () => {
  test('a fax to a new number is confirmed, and its call is seen live until it is delivered (MSG-R-003, SES-R-003)', async ({
    page,
    request,
  }) => {
    // A number that nobody has faxed to, whatever ran before; nobody has it, so the call fails.
    const number = `+1740555${String(Date.now() % 10_000).padStart(4, '2')}`;
    const dana = apiOf(request, 'dana');
    const types = await dana.get<{ releaseTypes: { id: string; name: string }[] }>('/api/releasetypes');
    const draft = draftTo([number], unique('Fax to a new number'));
    const releaseTypeId = types.releaseTypes.find((t) => t.name === 'Referral')!.id;
    const id = await dana.draft({ ...draft, more: { ...draft.more, releaseTypeId } });
    await signIn(page, 'dana', `/release/draft/${id}`);
    await page.getByRole('button', { name: 'Review and send' }).click();
    const review = dialog(page, 'Review and send');
    await review.getByRole('button', { name: 'Confirm' }).click();
    await expect(review.getByText('Please check the number and confirm it.')).toBeVisible();
    await review.getByLabel(/I have checked/).check();
    await review.getByRole('button', { name: 'Confirm' }).click();
    await expect(page.getByText('The message was sent successfully.')).toBeVisible();
    await page.goto(`/release/${id}`);
    await expect(page.getByText(/The fax number does not exist or is refused/).first()).toBeVisible({ timeout: 30_000 });
    await page.getByRole('button', { name: 'Show 1 call' }).click();
    await expect(page.getByRole('table', { name: 'Calls' })).toContainText('No number of this installation');
  });

  test('a practice faxes another one, which finds pages, caller and sender id in its Intake (MSG-R-002, MSG-R-463)', async ({
    page,
    request,
  }) => {
    const subject = unique('Fax between practices');
    const dana = apiOf(request, 'dana');
    const id = await dana.draft(draftTo([SUMMIT], subject));
    await dana.post(`/api/messages/${id}/send`, { confirmedFaxNumbers: [SUMMIT] });
    await signIn(page, 'dana', `/release/${id}`);
    await expect(page.getByText(/Dialling|Sending page|confirmed/).first()).toBeVisible();
    await expect(page.getByText('1 delivered')).toBeVisible({ timeout: 60_000 });
    await page.goto('/account/fax');
    await expect(page.getByRole('table', { name: 'Fax log' })).toContainText('740-555-0120');

    const arrived = await apiOf(request, 'sam').received('Fax from 740-555-0110');
    await signIn(page, 'sam', '/intake');
    const row = page.locator('[aria-label="Intake messages"] tbody tr[data-opens]').filter({ hasText: 'Fax from 740-555-0110' }).first();
    await expect(row).toContainText(/\d p/);
    await page.goto(`/intake/${arrived}`);
    const details = page.getByRole('heading', { name: 'Details' }).locator('..').locator('..');
    await expect(details).toContainText('Pages');
    await expect(details).toContainText('740-555-0110');
    await expect(details).toContainText('Sender ID');
    await expect(details).toContainText('Fine');
  });

  test('a busy line is called again later, and says so', async ({ page, request }) => {
    const dana = apiOf(request, 'dana');
    const id = await dana.draft(draftTo([BUSY], unique('Busy')));
    await dana.post(`/api/messages/${id}/send`, { confirmedFaxNumbers: [BUSY] });
    await signIn(page, 'dana', `/release/${id}`);
    await expect(page.getByText("The recipient's line is busy.").first()).toBeVisible({ timeout: 30_000 });
    await expect(page.getByText(/next call/)).toBeVisible();
  });

  test('a fax that waits for its next call is cancelled by its sender, and the page says so at once', async ({ page, request }) => {
    const dana = apiOf(request, 'dana');
    const id = await dana.draft(draftTo([BUSY], unique('Cancelled')));
    await dana.post(`/api/messages/${id}/send`, { confirmedFaxNumbers: [BUSY] });
    await signIn(page, 'dana', `/release/${id}`);
    await expect(page.getByText(/next call/)).toBeVisible({ timeout: 30_000 });
    await page.getByRole('button', { name: 'Cancel fax' }).click();
    const question = dialog(page, 'Cancel the fax?');
    await expect(question.getByText('740-555-0197')).toBeVisible();
    await question.getByRole('button', { name: 'Let it go on' }).click();
    await expect(page.getByText(/next call/)).toBeVisible();
    await page.getByRole('button', { name: 'Cancel fax' }).click();
    await question.getByRole('button', { name: 'Cancel fax' }).click();
    await expect(page.getByText('The fax was cancelled.')).toBeVisible();
    await expect(page.getByText('Failed', { exact: true }).first()).toBeVisible();
    await expect(page.getByRole('button', { name: 'Cancel fax' })).toHaveCount(0);
    await expect(page.getByRole('button', { name: 'Send again' })).toBeVisible();
  });

  test('a fax that its provider cannot cancel goes on, and the page says why', async ({ page, request }) => {
    const dana = apiOf(request, 'dana');
    const id = await dana.draft(draftTo([BUSY], unique('Goes on')));
    await dana.post(`/api/messages/${id}/send`, { confirmedFaxNumbers: [BUSY] });
    const message = 'The fax could not be cancelled and goes on. The call was answered already.';
    await page.route('**/fax/*/cancel', (route) => route.fulfill({ status: 409, json: { message } }));
    await signIn(page, 'dana', `/release/${id}`);
    await page.getByRole('button', { name: 'Cancel fax' }).click();
    await dialog(page, 'Cancel the fax?').getByRole('button', { name: 'Cancel fax' }).click();
    await expect(page.getByText(message)).toBeVisible();
    await expect(page.getByRole('button', { name: 'Cancel fax' })).toBeVisible();
  });

  test('a fax that says nothing about a patient needs a number, a subject and a file only (MSG-S-033, MSG-R-110, MSG-R-315, MSG-R-316, MSG-R-317, MSG-R-318, MSG-T-069, MSG-R-138)', async ({
    page,
    request,
  }) => {
    await signIn(page, 'dana', '/release');
    await page.getByRole('button', { name: 'More ways to send' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Non-PHI fax' }).press('Enter');
    const form = dialog(page, 'Non-PHI fax');
    await expect(form.getByLabel('To fax number')).toBeFocused();
    await expect(form.getByRole('combobox', { name: 'From fax number' })).toHaveValue('1-740-555-0110');
    await form.getByRole('combobox', { name: 'From fax number' }).fill('');
    await form.getByRole('button', { name: 'Send fax' }).click();
    for (const text of [
      '"To fax number" is required.',
      '"Subject" is required.',
      '"From fax number" is required.',
      'Missing file attachment.',
    ])
      await expect(form.getByText(text)).toBeVisible();
    await expect(form.getByLabel('To fax number')).toBeFocused();

    // A number that nobody has faxed to, whatever ran before; nobody has it, so the call fails.
    const number = `740556${String(Date.now() % 10_000).padStart(4, '2')}`;
    const subject = unique('Opening hours');
    await form.getByLabel('To fax number').fill(number);
    await form.getByLabel('Subject').fill(subject);
    await form.getByRole('combobox', { name: 'From fax number' }).fill('0110');
    await page.keyboard.press('Enter');
    await form.locator('input[type=file]').setInputFiles(pdf('Opening hours.pdf'));
    await form.getByRole('button', { name: 'Send fax' }).click();
    await expect(form.getByText(/Please check and confirm it\./)).toBeVisible();
    await form.getByLabel(/I have checked 740-556/).check();
    await form.getByRole('button', { name: 'Send fax' }).click();
    await expect(page.getByText('The message was sent successfully.')).toBeVisible();
    await expect(page.getByRole('heading', { name: subject })).toBeVisible();
    await expect(page.getByText(/The fax number does not exist or is refused/).first()).toBeVisible({ timeout: 30_000 });
    const id = page.url().split('/').pop()!;
    expect((await apiOf(request, 'dana').get<{ origin: string }>(`/api/messages/${id}`)).origin).toBe('Carepost non-patient');
  });

  test('a non-PHI fax begins once the own numbers are known, and asks for them again', async ({ page }) => {
    const numbers = /\/api\/documentsources\/release/;
    await signIn(page, 'dana', '/release');
    await refuse(page, 'GET', numbers, 503);
    await page.getByRole('button', { name: 'More ways to send' }).click();
    await page.getByRole('menuitem', { name: 'Non-PHI fax' }).click();
    const form = dialog(page, 'Non-PHI fax');
    await expect(form.getByText('Your fax numbers could not be loaded')).toBeVisible({ timeout: 15_000 });
    await expect(form.getByRole('button', { name: 'Send fax' })).toHaveCount(0);
    await page.unroute(numbers);
    const answer = await hold(page, numbers);
    const again = page.waitForRequest(numbers);
    await form.getByRole('button', { name: 'Try again' }).click();
    await again;
    await expect(form.getByText('Your fax numbers could not be loaded')).toBeVisible();
    answer();
    await expect(form.getByRole('combobox', { name: 'From fax number' })).toHaveValue('1-740-555-0110');
  });

  test('a non-PHI fax that is being sent is not discarded by closing its dialog', async ({ page }) => {
    const discarded: string[] = [];
    page.on('request', (r) => r.method() === 'DELETE' && discarded.push(r.url()));
    await refuse(page, 'POST', /\/api\/messages\/[^/]+\/send$/, 503, { message: 'The line is busy.' });
    const answer = await hold(page, '**/api/messages/*/send');
    await signIn(page, 'dana', '/release');
    await page.getByRole('button', { name: 'More ways to send' }).click();
    await page.getByRole('menuitem', { name: 'Non-PHI fax' }).click();
    const form = dialog(page, 'Non-PHI fax');
    await form.getByLabel('To fax number').fill(SUMMIT);
    await form.getByLabel('Subject').fill(unique('On its way'));
    await form.locator('input[type=file]').setInputFiles(pdf('Flyer.pdf'));
    const sending = page.waitForRequest('**/api/messages/*/send');
    await form.getByRole('button', { name: 'Send fax' }).click();
    await sending;
    await page.keyboard.press('Escape');
    await form.getByRole('button', { name: 'Close' }).click();
    await expect(form.getByRole('button', { name: 'Cancel' })).toBeDisabled();
    expect(discarded).toEqual([]);
    answer();
    await expect(toast(page, 'The line is busy.')).toBeVisible();
    const gone = page.waitForRequest((r) => r.method() === 'DELETE');
    await form.getByRole('button', { name: 'Cancel' }).click();
    await gone;
    await expect(form).toHaveCount(0);
  });

  test('a document that cannot be attached to a non-PHI fax is told in the documented words, and closing leaves no draft (MSG-R-319, MSG-T-086)', async ({
    page,
    request,
  }) => {
    await signIn(page, 'dana', '/release');
    await page.getByRole('button', { name: 'More ways to send' }).click();
    await page.getByRole('menuitem', { name: 'Non-PHI fax' }).click();
    const form = dialog(page, 'Non-PHI fax');
    const subject = unique('Not attached');
    await form.getByLabel('To fax number').fill(SUMMIT);
    await form.getByLabel('Subject').fill(subject);
    await form.locator('input[type=file]').setInputFiles(pdf('Flyer.pdf'));
    await page.route('**/api/messages/*/attachments', (route) => route.fulfill({ status: 500, json: {} }));
    await form.getByRole('button', { name: 'Send fax' }).click();
    await expect(form.getByText('Unable to attach document.')).toBeVisible();
    await form.getByRole('button', { name: 'Cancel' }).click();
    await expect(form).toHaveCount(0);
    const drafts = async () => {
      const list = await apiOf(request, 'dana').get<{ items: { subject: string }[] }>('/api/messages?isDraft=true&pageSize=100');
      return list.items.filter((m) => m.subject === subject).length;
    };
    await expect.poll(drafts).toBe(0);
  });

  test('an administrator adds, activates and deletes a number (MSG-C-125, MSG-C-127, MSG-C-129, MSG-C-130)', async ({ page }) => {
    const number = `740-556-${String(Date.now() % 10_000).padStart(4, '0')}`;
    await signIn(page, 'dana', '/account/fax/numbers');
    await page.getByRole('button', { name: 'Test', exact: true }).click();
    await expect(page.getByText('Within this installation: the account works.')).toBeVisible();
    await page.getByRole('button', { name: 'Add number' }).click();
    await dialog(page, 'Add fax number').getByLabel('Fax number').fill('911');
    await dialog(page, 'Add fax number').getByRole('button', { name: 'Save' }).click();
    await expect(page.getByText('Emergency numbers cannot be faxed to.')).toBeVisible();
    await dialog(page, 'Add fax number').getByLabel('Fax number').fill(number);
    await dialog(page, 'Add fax number').getByLabel('Name').fill('Referrals');
    await dialog(page, 'Add fax number').getByRole('button', { name: 'Save' }).click();
    const row = page.getByRole('table', { name: 'Fax numbers' }).locator('tbody tr').filter({ hasText: number });
    await expect(row).toContainText('Provisioning');
    await row.getByRole('button', { name: `Actions for ${number}` }).click();
    await page.getByRole('menuitem', { name: 'Test and activate' }).click();
    await expect(row).toContainText('Activated');
    await row.getByRole('button', { name: `Actions for ${number}` }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await dialog(page, 'Delete the fax number?').getByRole('button', { name: 'Delete' }).click();
    await expect(row).toHaveCount(0);
  });

  test('forwarding to an address that nobody finds falls back to the fax number of the directory (MSG-R-413, MSG-T-087)', async ({
    page,
    request,
  }) => {
    const received = await receive(request, { subject: unique('Forwarded by fax'), files: [pdf('Note.pdf')] });
    await signIn(page, 'dana', `/release/forward/${received}`);
    await dialog(page, 'Include the attachments?').getByRole('button', { name: 'Remove' }).click();
    for (const [name, option] of [
      ['Release type', 'Referral'],
      ['From', 'referrals@larkfield.direct.carepost.example'],
    ] as const) {
      await page.getByRole('combobox', { name }).click();
      await page.getByRole('option', { name: option, exact: true }).click();
    }
    await page.locator('#release-to').fill('office@trivalley.direct.example');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Review and send' }).click();
    await expect(page.getByText('Forwarding address lookup failed. Falling back to fax number.')).toBeVisible({ timeout: 20_000 });
    await expect(page.locator('.rel-address .cp-tag')).toHaveText(['1-740-555-0188']);
    await page.getByRole('button', { name: 'Review and send' }).click();
    const review = dialog(page, 'Review and send');
    await expect(review).toContainText('740-555-0188');
    await expect(review).toContainText('Faxed from');
    await expect(review).toContainText('740-555-0110');
    await review.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Discard' }).click();
    await dialog(page, 'Discard this release?').getByRole('button', { name: 'Discard' }).click();
    await expect(page.getByText('The draft was deleted successfully.')).toBeVisible();
  });

  test('an administrator adds an account at WestFax, is told where it may call, and reads what is wrong (MSG-C-136, MSG-C-138, MSG-R-160, ADA-R-344)', async ({
    page,
  }) => {
    await signIn(page, 'sam', '/account/fax/numbers');
    await page.getByRole('button', { name: 'Add account WestFax' }).click();
    const account = dialog(page, 'WestFax account');
    await account.getByRole('button', { name: 'Save' }).click();
    await expect(account.getByText('Enter the user name.')).toBeVisible();
    await expect(account.getByText('Enter the product id.')).toBeVisible();
    await account.getByLabel('User name').fill('clinic@example.com');
    await account.getByRole('textbox', { name: 'Password' }).fill('a password');
    await account.getByLabel('Product ID').fill('9def20cc-fe85-43bc-babe-23c26c2a115b');
    await account.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByText('The fax account was added.')).toBeVisible();
    await expect(account.getByText(/\/api\/fax\/callbacks\//)).toBeVisible();
    await account.getByRole('button', { name: 'Done' }).click();

    const accounts = page.getByRole('region', { name: 'Accounts' });
    const actions = accounts.getByRole('button', { name: 'More for WestFax' });
    await actions.click();
    await page.getByRole('menuitem', { name: 'Bring numbers over' }).click();
    await expect(accounts.getByText(/WestFax cannot be reached/).first()).toBeVisible();
    await actions.click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    await expect(account.getByLabel('User name')).toHaveValue('clinic@example.com');
    await expect(account.getByRole('textbox', { name: 'Password' })).toHaveValue('');
    await account.getByLabel('Product ID').fill('another');
    await account.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByText('The fax account was saved.')).toBeVisible();
    await actions.click();
    await page.getByRole('menuitem', { name: 'Delete account' }).click();
    await dialog(page, 'Delete the fax account?').getByRole('button', { name: 'Delete' }).click();
    await expect(page.getByText('The fax account was deleted.')).toBeVisible();
    await expect(page.getByRole('button', { name: 'Add account WestFax' })).toBeVisible();
  });

  test('an operator sets HylaFAX up for an organization and reads what is wrong; its administrator only tests it', async ({ page }) => {
    await signIn(page, 'ops', '/admin/organizations?search=Summit');
    await page.getByRole('table', { name: 'Organizations' }).locator('tbody tr').filter({ hasText: 'Summit Orthopedics' }).click();
    await page.getByRole('textbox', { name: 'Unit', exact: true }).fill('Suite 9');
    await page.getByRole('tab', { name: 'Fax', exact: true }).click();
    await expect(page).toHaveURL(/\/fax$/);
    await expect(page.getByRole('button', { name: 'Save Changes' })).toHaveCount(0);
    await page.getByRole('button', { name: 'Add account HylaFAX' }).click();
    const account = dialog(page, 'HylaFAX account');
    await account.getByLabel('Server').fill('127.0.0.1');
    await account.getByRole('button', { name: 'Save' }).click();
    await expect(account.getByText('Enter the server as host:port, such as fax.example:4559.')).toBeVisible();
    await account.getByLabel('Server').fill('127.0.0.1:9');
    await account.getByLabel('User name').fill('carepost');
    await account.getByRole('textbox', { name: 'Password' }).fill('secret');
    await account.getByRole('button', { name: 'Save' }).click();
    await expect(account.getByText(/\/api\/fax\/callbacks\//)).toBeVisible();
    await account.getByRole('button', { name: 'Done' }).click();

    const accounts = page.getByRole('region', { name: 'Accounts' });
    const hylafax = (owner: Page) => owner.locator('.fax-accounts .cp-row').filter({ hasText: 'HylaFAX' });
    await hylafax(page).getByRole('button', { name: 'Test' }).click();
    await expect(accounts.getByText(/HylaFAX cannot be reached/).last()).toBeVisible();
    const actions = accounts.getByRole('button', { name: 'More for HylaFAX' });
    await actions.click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    await expect(account.getByLabel('Server')).toHaveValue('127.0.0.1:9');
    await account.getByLabel('User name').fill('somebody');
    await account.getByRole('button', { name: 'Save' }).click();
    await expect(account.getByText(/The stored password belongs to one user at one server/)).toBeVisible();
    await account.getByLabel('This user has no password').check();
    await account.getByLabel('Outside line').fill('9,');
    await account.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByText('The fax account was saved.')).toBeVisible();
    await page.getByRole('tab', { name: 'Details' }).click();
    await expect(page.getByRole('textbox', { name: 'Unit', exact: true })).toHaveValue('Suite 9');
    const path = page.url();
    await page.getByRole('button', { name: 'Cancel' }).click();

    await signIn(page, 'sam', '/account/fax/numbers');
    await hylafax(page).getByRole('button', { name: 'Test' }).click();
    await expect(accounts.getByText(/HylaFAX cannot be reached/).last()).toBeVisible();
    await expect(actions).toHaveCount(0);

    await signIn(page, 'ops', path.replace(/details$/, 'fax'));
    await actions.click();
    await page.getByRole('menuitem', { name: 'Delete account' }).click();
    await dialog(page, 'Delete the fax account?').getByRole('button', { name: 'Delete' }).click();
    await expect(page.getByText('The fax account was deleted.')).toBeVisible();
    await expect(page.getByRole('button', { name: 'Add account HylaFAX' })).toBeVisible();
  });

  test('the fax log is saved as CSV and narrowed by filters', async ({ page }) => {
    await signIn(page, 'dana', '/account/fax');
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save as CSV' }).click();
    expect((await saved).suggestedFilename()).toBe('fax-log.csv');
    await page.getByRole('combobox', { name: 'Outcome' }).click();
    await page.getByRole('option', { name: 'Training failed' }).click();
    await expect(page.getByRole('heading', { name: 'No call matches' })).toBeVisible();
  });
});
