import type { Page } from '@playwright/test';
import { ADMINISTRATOR, practice, RIGHT } from './practice';
import { apiOf, chooseSize, dialog, field, pdf, pick, reconfigure, refuse, toast } from './helpers';
import { expect, isolated, signIn, test } from './support';

// Each test registers a practice of its own and goes on from there.

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const TERMS = 'Terms of service';
const QUIZ = 'A few questions about you';
const FAILED = 'We could not verify your identity';

async function agree(page: Page) {
  await page.getByLabel('I agree to terms and conditions').check();
  await button(page, 'Next').click();
}
async function toIdentity(page: Page) {
  await button(page, 'Next').click();
  await button(page, 'Next').click();
  await expect(dialog(page, 'Submit your identity')).toBeVisible();
}
async function describeOneself(page: Page) {
  await field(page, 'First Name').fill('Fern');
  await field(page, 'Last Name').fill('Hadley');
  await field(page, 'Date of Birth').fill('03/14/75');
  const current = page.getByRole('group', { name: 'Current address' });
  await current.getByRole('textbox', { name: 'Address', exact: true }).fill(ADMINISTRATOR.street);
  await current.getByRole('textbox', { name: 'City' }).fill(ADMINISTRATOR.city);
  await pick(page, 'State', 'Ohio');
  await current.getByRole('textbox', { name: 'Zip' }).fill(ADMINISTRATOR.zip);
}
/** Chooses an answer to every question. */
async function choose(page: Page, right: boolean) {
  const groups = page.getByRole('dialog').getByRole('radiogroup');
  await expect(groups.first()).toBeVisible();
  for (const group of await groups.all()) {
    const values = await group.getByRole('radio').evaluateAll((all) => all.map((r) => (r as HTMLInputElement).value));
    const known = values.findIndex((v) => RIGHT.includes(v));
    const none = values.length - 1;
    const at = right ? (known >= 0 ? known : none) : known >= 0 ? none : 0;
    await group.getByRole('radio').nth(at).check();
  }
  await button(page, 'Submit Answers').click();
}
const leave = async (page: Page) => {
  await button(page, 'Sign out').click();
  await expect(page.getByRole('heading', { name: 'You are signed out' })).toBeVisible();
};

isolated(
  'a new administrator reads and prints the terms, and agrees (SES-S-028, SES-S-031, SES-R-062, SES-R-064, SES-R-066, SES-R-069, SES-R-078, SES-R-079, SES-R-080, SES-R-082, SES-R-083, SES-R-086, SES-R-087, SES-T-001, SES-T-002, SES-T-003)',
  async ({ page, request, context }) => {
    const { subDomain, userName } = await practice(request, 'registered');
    await context.addInitScript(() => {
      window.print = () => {};
    });
    const loaded = page.waitForResponse((r) => r.url().endsWith('/api/users/profiledata'));
    const opened = signIn(page, userName);
    await loaded;
    const began = Date.now();
    await expect(dialog(page, TERMS)).toBeVisible();
    expect(Date.now() - began, 'about a second after load').toBeGreaterThan(900);
    await opened;
    await expect(button(page, 'Next')).toBeDisabled();
    await page.keyboard.press('Escape');
    await expect(dialog(page, TERMS)).toBeVisible();
    await expect(page.getByRole('heading', { name: '2. Protected health information' })).toBeVisible();
    const printed = page.waitForEvent('popup');
    await button(page, 'Print TOS').click();
    const paper = await printed;
    await expect(paper.getByText('version 1.0')).toBeVisible();
    expect(paper.url()).toMatch(/\/print\?job=terms$/);
    await paper.close();
    const [kept] = await Promise.all([page.waitForEvent('download'), button(page, 'Download PDF').click()]);
    expect(kept.suggestedFilename()).toBe('Terms of service.pdf');
    await agree(page);
    await expect(dialog(page, 'Welcome')).toContainText('Thank you');
    await expect(dialog(page, 'Welcome')).toContainText(
      `${subDomain}.direct.carepost.example, is submitted to the national provider address book`,
    );
  },
);

test('the identity form opens over the dashboard and says what it lacks (SES-S-032, SES-S-033, SES-R-029, SES-R-070, SES-R-071, SES-R-088, SES-R-089, SES-R-229, SES-R-230, SES-R-231, SES-R-232, SES-R-233, SES-R-235, SES-R-238, SES-R-239, SES-R-240, SES-R-241, SES-R-242, SES-R-243, SES-R-244, SES-R-245, SES-R-248, SES-R-251, SES-R-289, SES-T-061, SES-T-062, SES-T-063, SES-T-064, SES-T-065, SES-T-066, SES-T-067, SES-T-068, SES-T-069, SES-T-070, SES-T-074)', async ({
  page,
  request,
}) => {
  const { userName } = await practice(request, 'terms');
  await signIn(page, userName);
  await button(page, 'Next').click();
  await expect(dialog(page, 'Verify your identity')).toContainText('HIPAA');
  await button(page, 'Next').click();
  const submit = button(page, 'Submit');
  await submit.click();
  for (const name of ['First Name', 'Last Name', 'Date of Birth', 'Address', 'City', 'State', 'Zip'])
    await expect(page.getByText(`${name} is required.`, { exact: true })).toBeVisible();
  await expect(field(page, 'First Name')).toBeFocused();
  await expect(field(page, 'Date of Birth')).toHaveAttribute('placeholder', 'MM/DD/YYYY');
  const limits = { 'First Name': 255, 'Last Name': 255, 'Date of Birth': 10, Address: 255, Unit: 255, City: 255, Zip: 10 };
  for (const [name, characters] of Object.entries(limits))
    await expect(page.getByRole('textbox', { name, exact: true }).first()).toHaveAttribute('maxlength', String(characters));
  await expect(page).toHaveURL(/\/account\/dashboard$/);
  await describeOneself(page);
  const ssn = page.getByRole('textbox', { name: 'SSN' });
  await ssn.fill('123-456-789');
  await ssn.blur();
  await expect(page.getByText('Please enter your SSN in one of the following formats: xxx-xx-xxxx or xxxxxxxxx')).toBeVisible();
  await ssn.fill('987-65-4321');
  const address = page.getByRole('group', { name: 'Current address' }).getByRole('textbox', { name: 'Address', exact: true });
  await address.fill('P.O. Box 12');
  await address.blur();
  await expect(page.getByText('Street address cannot be a P.O. Box')).toBeVisible();
  await address.fill(ADMINISTRATOR.street);
  await field(page, 'First Name').fill('Fern 2');
  await submit.click();
  await expect(page.getByText('First Name is invalid', { exact: true })).toBeVisible();
  await expect(field(page, 'First Name')).toBeFocused();
  await expect(ssn).toHaveValue('987-65-4321');
});

test('a former address can be told, and is another than the current one (SES-S-034, SES-R-234, SES-R-246, SES-R-247, SES-R-250)', async ({
  page,
  request,
}) => {
  const { userName } = await practice(request, 'terms');
  await signIn(page, userName);
  await toIdentity(page);
  await describeOneself(page);
  await expect(field(page, 'Date of Birth')).toHaveValue(ADMINISTRATOR.born);
  await button(page, 'Former address').click();
  const former = page.getByRole('group', { name: 'Former address' });
  await former.getByRole('textbox', { name: 'Address', exact: true }).fill(ADMINISTRATOR.street);
  await button(page, 'Submit').click();
  await expect(former.getByText('City is required.')).toBeVisible();
  await former.getByRole('textbox', { name: 'City' }).fill(ADMINISTRATOR.city);
  await former.getByRole('combobox', { name: 'State' }).pressSequentially('Ohio');
  await former.getByRole('combobox', { name: 'State' }).press('Enter');
  await former.getByRole('textbox', { name: 'Zip' }).fill(ADMINISTRATOR.zip);
  await former.getByRole('textbox', { name: 'Zip' }).blur();
  const twice = page.getByText('The former address is the same as the current one.');
  await expect(twice).toBeVisible();
  await former.getByRole('textbox', { name: 'City' }).fill('Tansy Green');
  await former.getByRole('textbox', { name: 'City' }).blur();
  await expect(twice).toHaveCount(0);
  await button(page, 'Submit').click();
  await expect(dialog(page, QUIZ)).toBeVisible();
});

isolated(
  'right answers prove the identity; what comes next is told until it is put away (SES-S-035, SES-S-036, SES-S-039, SES-C-001, SES-C-002, SES-C-003, SES-C-004, SES-R-072, SES-R-074, SES-R-075, SES-R-076, SES-R-090, SES-R-091, SES-R-092, SES-R-095, SES-R-096, SES-R-105, SES-R-106, SES-R-107, SES-R-108, SES-R-111, SES-R-113, SES-T-007, SES-T-008, SES-T-013, SES-T-014, SES-T-015)',
  async ({ page, request }) => {
    const { userName } = await practice(request, 'terms');
    await signIn(page, userName);
    await toIdentity(page);
    await describeOneself(page);
    await button(page, 'Submit').click();
    await expect(dialog(page, QUIZ)).toBeVisible();
    await expect(page.getByRole('timer')).toHaveText(/^(10:00|9:5\d)$/);
    await button(page, 'Submit Answers').click();
    await expect(page.getByText('Please answer every question.').first()).toBeVisible();
    await choose(page, true);
    await expect(dialog(page, 'Congratulations!')).toContainText('This takes 2-3 business days. We will send you an email');
    await button(page, 'Close').last().click();
    const notice = dialog(page, 'Welcome!');
    await expect(notice).toContainText('2-3 business days');
    await button(page, 'Ok').click();
    await expect(notice).toHaveCount(0);
    await page.clock.install();
    const isQuiet = async () => {
      await page.reload();
      await expect(page.getByText('Your organization is not activated yet.')).toBeVisible();
      await page.clock.runFor(5000);
      await expect(dialog(page)).toHaveCount(0);
    };
    await isQuiet();
    // In another browser session it is told again.
    await page.evaluate(() => sessionStorage.clear());
    await page.reload();
    await page.clock.runFor(5000);
    await expect(notice).toBeVisible();
    await page.getByLabel("Don't show this message again").check();
    await button(page, 'Ok').click();
    await expect(notice).toHaveCount(0);
    await isQuiet();
  },
);

test('an activated practice is told, and has an address for records (SES-R-077)', async ({ page, request }) => {
  const { name, subDomain, userName } = await practice(request, 'proven');
  await signIn(page, 'ops', `/admin/organizations?search=${encodeURIComponent(name)}`);
  await button(page, `Actions for ${name}`).click();
  await page.getByRole('menuitem', { name: 'Activation Status' }).click();
  await page.getByLabel('Activated', { exact: true }).check();
  await page.getByLabel('Send activation email to the administrators').check();
  await button(page, 'Save').click();
  await expect(toast(page, 'Organization Activation Status has been updated.')).toBeVisible();
  await signIn(page, userName);
  await expect(page.getByRole('heading', { level: 1, name: 'Dashboard' })).toBeVisible();
  await expect(page.getByText('Your organization is not activated yet.')).toHaveCount(0);
  // A worker makes the address a moment after the activation.
  await expect(async () => {
    await page.goto('/release/new');
    await page.getByRole('combobox', { name: 'From' }).click({ timeout: 1000 });
    await expect(page.getByRole('option', { name: `records@${subDomain}.direct.carepost.example` })).toBeVisible({ timeout: 1000 });
  }).toPass();
  await page.goto('/demo/mailbox');
  await expect(page.getByText(`${name} is activated`).first()).toBeVisible();
});

test('after three wrong quizzes a photo ID is asked for (SES-S-038, SES-R-073, SES-R-093, SES-R-099, SES-R-100, SES-R-101, SES-R-102, SES-R-103, SES-T-010, SES-T-011)', async ({
  page,
  request,
}) => {
  const { userName } = await practice(request, 'terms');
  await signIn(page, userName);
  await toIdentity(page);
  await describeOneself(page);
  await button(page, 'Submit').click();
  for (const attempt of [1, 2, 3]) {
    if (attempt > 1) await expect(page.getByText(/Not all answers were right/)).toBeVisible();
    const answered = page.waitForResponse((r) => r.request().method() === 'POST' && r.url().includes('/quizzes/'));
    await choose(page, false);
    await answered;
  }
  await expect(dialog(page, FAILED)).toContainText('government photo ID');
  await button(page, 'Submit').click();
  await expect(page.getByText('Please select a file.')).toBeVisible();
  const browse = page.locator('input[type=file]');
  await browse.setInputFiles({ name: 'id.pdf', mimeType: 'application/pdf', buffer: Buffer.from('<html>') });
  await button(page, 'Submit').click();
  await expect(page.getByText('Please choose a PDF, JPEG, PNG or TIFF file.')).toBeVisible();
  await chooseSize(page, 'id.pdf', 10 * 1024 * 1024 + 1);
  await expect(page.getByText('Your file exceeds the maximum (10MB) allowed size.')).toBeVisible();
  // Closing signs out, and the same screen waits.
  await button(page, 'Close').click();
  await expect(page.getByRole('heading', { name: 'You are signed out' })).toBeVisible();
  await signIn(page, userName);
  await expect(dialog(page, FAILED)).toBeVisible();
});

test('a photo ID is under review until staff decide, who may ask for another (SES-S-037, SES-C-005, SES-R-068, SES-R-097, SES-R-098, SES-R-104, SES-T-009, ADA-C-069)', async ({
  page,
  request,
}) => {
  const { userName } = await practice(request, 'terms');
  await signIn(page, userName);
  await toIdentity(page);
  await describeOneself(page);
  await button(page, 'Submit').click();
  for (const wrong of [1, 2, 3]) {
    const answered = page.waitForResponse((r) => r.request().method() === 'POST' && r.url().includes('/quizzes/'));
    if (wrong > 1) await expect(page.getByText(/Not all answers were right/)).toBeVisible();
    await choose(page, false);
    await answered;
  }
  const upload = async (name: string) => {
    await expect(dialog(page, FAILED)).toBeVisible();
    await page.locator('input[type=file]').setInputFiles(pdf(name));
    await expect(page.getByText(`${name} (`)).toBeVisible();
    await button(page, 'Submit').click();
    await expect(dialog(page, 'Thank you')).toContainText('under review');
  };
  const ops = apiOf(request, 'ops');
  const decide = async (passed: boolean, fileName: string) => {
    const waiting = await ops.get<{ items: { userId: string; fileName: string }[] }>('/api/admin/users/idproof');
    const { userId } = waiting.items.findLast((i) => i.fileName === fileName)!;
    await ops.post('/api/admin/users/idproof', { userId, passed, sendEmail: true });
    await page.reload();
  };
  const [first, second] = [`Licence ${userName}.pdf`, `Passport ${userName}.pdf`];
  await upload(first);
  await button(page, 'Close').last().click();
  await expect(dialog(page)).toHaveCount(0);
  await page.reload();
  await expect(dialog(page, 'Thank you')).toBeVisible();
  await decide(false, first);
  await upload(second);
  await decide(true, second);
  await expect(dialog(page, 'Welcome!')).toBeVisible();
  await page.goto('/demo/mailbox');
  const mails = page.getByRole('navigation', { name: 'E-mails' });
  for (const subject of ['Please send your photo ID again', 'Your identity is verified'])
    await expect(mails.getByRole('button', { name: `${subject} ${userName}` })).toBeVisible();
});

test('whoever stops goes on at the same screen', async ({ page, request }) => {
  const { userName } = await practice(request, 'registered');
  await signIn(page, userName);
  await expect(dialog(page, TERMS)).toBeVisible();
  await page.reload();
  await agree(page);
  await expect(dialog(page, 'Welcome')).toBeVisible();
  await page.reload();
  await button(page, 'Next').click();
  await page.reload();
  await expect(dialog(page, 'Verify your identity')).toBeVisible();
  await button(page, 'Next').click();
  await leave(page);
  await signIn(page, userName);
  await expect(dialog(page, 'Submit your identity')).toBeVisible();
  expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage, ...localStorage }))).not.toContain('Birch');
});

isolated('the same questions go on after a sign-in, and others come when their time is over', async ({ page, request }) => {
  const { userName } = await practice(request, 'terms');
  await signIn(page, userName);
  await toIdentity(page);
  await describeOneself(page);
  await button(page, 'Submit').click();
  const questions = page.locator('.onb-question');
  await expect(questions).toHaveCount(4);
  const shown = await questions.allInnerTexts();
  await page.goto('/account/logout');
  await expect(page.getByRole('heading', { name: 'You are signed out' })).toBeVisible();
  await signIn(page, userName);
  await expect(questions).toHaveCount(4);
  expect(await questions.allInnerTexts(), 'the same questions go on').toEqual(shown);
  await page.clock.install();
  await page.reload();
  await page.clock.runFor(1500);
  await expect(questions).toHaveCount(4);
  await page.clock.fastForward(10 * 60_000);
  await page.clock.runFor(2000);
  await expect(page.getByText(/The time for these questions is over/)).toBeVisible();
  await button(page, 'Continue').click();
  await page.clock.runFor(1000);
  await expect(questions).toHaveCount(4);
  await choose(page, true);
  await page.clock.runFor(1000);
  await expect(dialog(page, 'Congratulations!')).toBeVisible();
});

type Named = { id: string; name: string };

test('the terms of a brand are acknowledged (SES-S-029, SES-R-081)', async ({ page, request }) => {
  const { subDomain, userName } = await practice(request, 'registered');
  const brands = await apiOf(request, 'ops').get<{ data: (Named & { displayName: string })[] }>('/api/admin/brands?pageSize=100');
  const brandId = brands.data.find((b) => JSON.stringify(b).includes('Harborline'))!.id;
  await reconfigure(request, subDomain, () => ({ brandId }));
  await signIn(page, userName);
  await expect(dialog(page, TERMS)).toBeVisible();
  await expect(page.getByLabel('Text of the terms')).toHaveCount(0);
  await expect(button(page, 'Next')).toBeDisabled();
  await page.getByLabel('I acknowledge the terms and conditions of Harborline Exchange').check();
  await button(page, 'Next').click();
  await expect(dialog(page, 'Welcome')).toBeVisible();
});

test('the terms of a reseller stand in place of the usual ones (SES-S-030, SES-R-067, SES-R-085)', async ({ page }) => {
  // Ines does not agree, so that her practice stays as it is.
  await signIn(page, 'ines');
  await expect(dialog(page, 'Terms of service of your partner')).toBeVisible();
  await expect(page.getByRole('heading', { name: '1. Your agreement' })).toBeVisible();
  await expect(button(page, 'Next')).toBeDisabled();
});

test('who does not agree to the terms, or cannot read them, can sign out', async ({ page, request }) => {
  const { userName } = await practice(request, 'registered');
  await page.setViewportSize({ width: 390, height: 844 });
  await signIn(page, userName);
  await expect(page.getByLabel('I agree to terms and conditions')).toBeVisible();
  for (const name of ['Sign out', 'Print TOS', 'Next']) await expect(button(page, name)).toBeInViewport({ ratio: 1 });
  await refuse(page, 'GET', /\/api\/account\/terms$/, 404);
  await page.reload();
  await expect(page.getByText('The terms could not be loaded')).toBeVisible();
  await leave(page);
});
