import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { apiOf, dialog, field, pdf, pick } from './helpers';
import { ADMINISTRATOR, practice, RIGHT } from './practice';
import { expect, isolated, signIn, test, WORK_MS } from './support';

// Each test registers a practice of its own and goes on from there.

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const TERMS = 'Terms of service';
const QUIZ = 'A few questions about you';
const FAILED = 'We could not verify your identity';

/** From the welcome over the identity to the first questions. */
async function toQuestions(page: Page) {
  await expect(dialog(page, 'Welcome')).toBeVisible();
  await button(page, 'Next').click();
  await expect(dialog(page, 'Verify your identity')).toBeVisible();
  await button(page, 'Next').click();
  await field(page, 'First Name').fill('Fern');
  await field(page, 'Last Name').fill('Hadley');
  await field(page, 'Date of Birth').fill('03/14/75');
  const current = page.getByRole('group', { name: 'Current address' });
  await current.getByRole('textbox', { name: 'Address', exact: true }).fill(ADMINISTRATOR.street);
  await current.getByRole('textbox', { name: 'City' }).fill(ADMINISTRATOR.city);
  await pick(page, 'State', 'Ohio');
  await current.getByRole('textbox', { name: 'Zip' }).fill(ADMINISTRATOR.zip);
  await button(page, 'Submit').click();
  await expect(dialog(page, QUIZ)).toBeVisible();
}
/** Answers every question, until these are gone. */
async function choose(page: Page, right: boolean) {
  const groups = dialog(page, QUIZ).getByRole('radiogroup');
  await expect(groups).toHaveCount(4);
  for (let n = 0; n < 4; n++) {
    const choices = groups.nth(n).getByRole('radio');
    const values = await choices.evaluateAll((all) => all.map((r) => (r as HTMLInputElement).value));
    const known = values.findIndex((v) => RIGHT.includes(v));
    const none = values.length - 1;
    await choices.nth(right ? (known >= 0 ? known : none) : known >= 0 ? none : 0).check();
  }
  await button(page, 'Submit Answers').click();
  // Those that may follow have no answers yet.
  await expect(groups.getByRole('radio', { checked: true })).toHaveCount(0);
}

isolated('a new administrator prints and keeps the terms, agrees, and proves who they are', async ({ page, request, context }) => {
  const { userName } = await practice(request, 'registered');
  await context.addInitScript(() => {
    window.print = () => {};
  });
  await signIn(page, userName);
  await expect(dialog(page, TERMS)).toBeVisible();
  await page.setViewportSize({ width: 390, height: 844 });
  for (const name of ['Sign out', 'Print TOS', 'Next']) await expect(button(page, name)).toBeInViewport({ ratio: 1 });
  await page.setViewportSize({ width: 1440, height: 900 });
  const printed = page.waitForEvent('popup');
  await button(page, 'Print TOS').click();
  const paper = await printed;
  await expect(paper.getByText('version 1.0')).toBeVisible();
  await paper.close();
  const [kept] = await Promise.all([page.waitForEvent('download'), button(page, 'Download PDF').click()]);
  expect(kept.suggestedFilename()).toMatch(/_terms_\d{8}T\d{6}Z\.pdf$/);
  expect((await readFile(await kept.path())).toString('latin1', 0, 5)).toBe('%PDF-');
  await page.getByLabel('I agree to terms and conditions').check();
  await button(page, 'Next').click();
  await toQuestions(page);
  await choose(page, true);
  await expect(dialog(page, 'Congratulations!')).toBeVisible();
});

type Waiting = { items: { userId: string; fileName: string }[] };
type Mails = { items: { toAddress: string; subject: string }[] };

test('after three wrong quizzes a photo ID is asked for and is under review until staff decide, who may ask for another (SES-C-005, SES-R-068, SES-R-104, ADA-C-069)', async ({
  page,
  request,
}) => {
  const { userName } = await practice(request, 'terms');
  await signIn(page, userName);
  await toQuestions(page);
  for (let wrong = 0; wrong < 3; wrong++) await choose(page, false);
  const ops = apiOf(request, 'ops');
  const upload = async (name: string) => {
    await expect(dialog(page, FAILED)).toBeVisible();
    await page.locator('input[type=file]').setInputFiles(pdf(name));
    await button(page, 'Submit').click();
    await expect(dialog(page, 'Thank you')).toContainText('under review');
  };
  const decide = async (passed: boolean, fileName: string) => {
    const { items } = await ops.get<Waiting>('/api/admin/users/idproof');
    const { userId } = items.findLast((i) => i.fileName === fileName)!;
    await ops.post('/api/admin/users/idproof', { userId, passed, sendEmail: true });
    await page.reload();
  };
  const [first, second] = [`Licence ${userName}.pdf`, `Passport ${userName}.pdf`];
  await upload(first);
  await decide(false, first);
  await upload(second);
  await decide(true, second);
  await expect(dialog(page, 'Welcome!')).toBeVisible();
  const subjects = async () =>
    ((await (await request.get('/api/demo/emails')).json()) as Mails).items.filter((m) => m.toAddress === userName).map((m) => m.subject);
  await expect
    .poll(subjects, { timeout: WORK_MS })
    .toEqual(expect.arrayContaining(['Please send your photo ID again', 'Your identity is verified']));
});
