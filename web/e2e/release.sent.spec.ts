import type { APIRequestContext } from '@playwright/test';
import { apiOf, dialog, field, pdf, pick, receive, SUMMIT, unique } from './helpers';
import { afterwards, authenticate, expect, signIn, test, WORK_MS } from './support';

/** A sent release: its delivery, its summary, replies and forwards. */

type Delivered = { deliveries: { address: string; state: string }[]; isReadyForDeliverySummary: boolean };
const read = (request: APIRequestContext, id: string) => apiOf(request, 'dana').get<Delivered>(`/api/messages/${id}`);

test('each recipient has its own course, seen without a reload, and one that cannot be reached says why (MSG-S-016, SES-S-017)', async ({
  page,
  request,
}) => {
  const nobody = 'nobody@summit-ortho.direct.carepost.example';
  const id = await apiOf(request, 'dana').send({ subject: unique('Two recipients'), to: [SUMMIT, nobody], files: [pdf()] });
  await signIn(page, 'dana', `/release/${id}`);
  const recipient = (address: string) => page.locator('.rel-recipient', { hasText: address });
  await expect(recipient(SUMMIT)).toBeVisible();
  const states = async () => Object.fromEntries((await read(request, id)).deliveries.map((d) => [d.address, d.state]));
  await expect.poll(states, { timeout: WORK_MS }).toEqual({ [SUMMIT]: 'Delivered', [nobody]: 'Failed' });
  await expect(recipient(SUMMIT).getByText('Delivered')).toBeVisible();
  await expect(recipient(nobody).getByText('Failed', { exact: true })).toBeVisible();
  await expect(recipient(nobody).getByRole('alert')).not.toBeEmpty();
});

test('what became of a release is put into the Intake as a summary (MSG-R-115, SES-C-049)', async ({ page, request }) => {
  const subject = unique('Summarized');
  const id = await apiOf(request, 'dana').send({ subject, to: [SUMMIT], files: [pdf()] });
  await expect.poll(async () => (await read(request, id)).isReadyForDeliverySummary, { timeout: WORK_MS }).toBe(true);
  await signIn(page, 'dana', `/release/${id}`);
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Send Delivery Summary to Intake', exact: true }).click();
  const box = dialog(page, 'Send Delivery Summary to Intake');
  await box.getByRole('button', { name: 'Confirm', exact: true }).click();
  await expect(box).toHaveCount(0);
  await apiOf(request, 'dana').received(`Delivery summary: ${subject}`);
});

test('a received message is passed on with its documents, as a draft of its own until it is sent (MSG-S-017, MSG-S-018, MSG-R-384, SES-S-018, SES-S-019)', async ({
  page,
  request,
}) => {
  const subject = unique('Pass on');
  const id = await receive(request, { subject, files: [pdf()] });
  await signIn(page, 'dana', `/release/forward/${id}`);
  await dialog(page, 'Include the attachments?').getByRole('button', { name: 'Include' }).click();
  await expect(page).toHaveURL(/\/release\/forward\/draft\//);
  const copy = page.url().split('/').pop()!;
  afterwards(() => apiOf(request, 'dana').forget(copy));
  await expect(field(page, 'Subject')).toHaveValue(`FW: ${subject}`);
  // The document type was not sent, so it is entered when forwarding.
  await page.getByRole('button', { name: 'Edit Report.pdf' }).click();
  await dialog(page, 'Edit attachment').getByRole('radio', { name: "Today's Date" }).check();
  await pick(page, 'Confidentiality', 'Normal');
  await dialog(page, 'Edit attachment').getByRole('button', { name: 'Save' }).click();
  await expect(dialog(page, 'Edit attachment')).toHaveCount(0);
  await pick(page, 'Release type', 'Referral');
  await page.locator('#release-to').fill(SUMMIT);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Review and send' }).click();
  await dialog(page, 'Review and send').getByRole('button', { name: 'Confirm' }).click();
  await expect(page).toHaveURL(/\/release$/);
  const sam = apiOf(request, 'sam');
  const arrived = await sam.get<{ attachments: { fileName: string }[] }>(`/api/messages/${await sam.received(`FW: ${subject}`)}`);
  expect(arrived.attachments.map((a) => a.fileName)).toEqual(['Report.pdf']);
});

test('a reply is written beside the documents it answers, and goes to their sender by Ctrl+Enter (MSG-R-236, SES-S-020)', async ({
  page,
  request,
}) => {
  const subject = unique('Please answer');
  const id = await receive(request, { subject, files: [pdf()] });
  await signIn(page, 'dana', `/intake/${id}`);
  await expect(page.getByRole('button', { name: 'Reply', exact: true })).toBeVisible();
  await page.keyboard.press('r');
  const original = page.getByRole('region', { name: 'Original message' });
  await expect(original.locator('canvas').first()).toBeVisible({ timeout: WORK_MS });
  await expect(field(page, 'Message')).toBeFocused();
  await page.keyboard.type('Thank you, we expect her on Monday.');
  await page.keyboard.press('Control+Enter');
  await expect(page).toHaveURL(new RegExp(`/intake/${id}$`));
  const sam = apiOf(request, 'sam');
  const arrived = await sam.get<{ body: string; attachments: object[] }>(`/api/messages/${await sam.received(`RE: ${subject}`)}`);
  expect(arrived.body).toMatch(/^Thank you, we expect her on Monday\./);
});

test('the addresses of Release ignore case and a slash at their end, and lead people of the console to their own start page (MSG-R-038, MSG-R-039, MSG-R-056, MSG-R-059, MSG-S-013, SES-R-024, SES-R-025, SES-S-014)', async ({
  page,
}) => {
  await signIn(page, 'dana', '/Release/?isLeftNav=true');
  await expect(page.getByRole('heading', { level: 1, name: 'Release' })).toBeVisible();
  await page.goto('/RELEASE/New/');
  await expect(page.getByRole('heading', { name: 'New release' })).toBeVisible();
  await page.context().clearCookies();
  await authenticate(page, 'ops');
  await page.goto('/RELEASE/New/');
  await expect(page).toHaveURL(/\/admin\/dashboard\/messaging$/);
});
