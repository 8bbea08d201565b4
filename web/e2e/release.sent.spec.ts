import { apiOf, dialog, field, hold, pdf, receive, refuse, SUMMIT, toast, unique } from './helpers';
import { authenticate, expect, signIn, test } from './support';
const discard = (request: Parameters<typeof apiOf>[0], id: string) => apiOf(request, 'dana').remove(`/api/messages/${id}`);

test.describe('after sending', () => {
  test('each recipient has its own course, and one that cannot be reached says why (MSG-S-016, MSG-S-020, MSG-R-111, MSG-R-112, MSG-R-113, MSG-R-117, MSG-R-172, MSG-R-173)', async ({
    page,
    request,
  }) => {
    const nobody = 'nobody@summit-ortho.direct.carepost.example';
    const subject = unique('Two recipients');
    const id = await apiOf(request, 'dana').send({
      subject,
      to: [SUMMIT, nobody],
      files: [pdf()],
      more: { reasonForDisclosure: 'Treatment' },
    });
    await signIn(page, 'dana', `/release/${id}`);
    const recipient = (address: string) => page.locator('.rel-recipient', { hasText: address });
    await expect(recipient(SUMMIT).getByText('Delivered')).toBeVisible({ timeout: 45_000 });
    await expect(recipient(nobody).getByText('Failed', { exact: true })).toBeVisible({ timeout: 45_000 });
    await expect(recipient(nobody).getByRole('alert')).not.toBeEmpty();
    for (const name of ['Forward', 'Delete', 'Activity']) await expect(page.getByRole('button', { name, exact: true })).toBeVisible();
    // The setting of the practice does not allow the download.
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await expect(page.getByRole('menuitem')).toHaveText(['Send Delivery Summary to Intake']);
    await page.keyboard.press('Escape');
    await expect(page.getByText('Treatment', { exact: true })).toBeVisible();
    await expect(page.getByText('Halloran, Bridget, 07/02/1979')).toBeVisible();
    await expect(page.getByRole('textbox', { name: 'First name' })).toHaveCount(0);
    await expect(page.locator('input[type=file]')).toHaveCount(0);
    await page.getByRole('button', { name: 'Forward', exact: true }).click();
    await expect(page).toHaveURL(new RegExp(`/release/forward/${id}`));
    await expect(dialog(page, 'Include the attachments?')).toBeVisible();
  });

  test('what became of a message is put into the Intake as a summary, once that is confirmed (SES-S-056, SES-R-196, SES-R-197, SES-R-198, SES-R-199, SES-R-200, SES-R-201, SES-T-040, SES-T-041, SES-T-077, SES-T-078, SES-C-049, MSG-R-115)', async ({
    page,
    request,
  }) => {
    const subject = unique('Summarized');
    const id = await apiOf(request, 'dana').send({ subject, to: [SUMMIT], files: [pdf()] });
    await signIn(page, 'dana', `/release/${id}`);
    await expect(page.locator('.rel-recipient', { hasText: 'Summit Orthopedics' }).getByText('Delivered')).toBeVisible({ timeout: 45_000 });
    const item = (name: string) => page.getByRole('menuitem', { name, exact: true });
    const more = page.getByRole('button', { name: 'More', exact: true });
    await more.click();
    await item('Send Delivery Summary to Intake').click();
    const opened = dialog(page, 'Send Delivery Summary to Intake');
    await opened.getByRole('button', { name: 'Cancel', exact: true }).click();
    await expect(opened).toHaveCount(0);

    const call = /\/deliverysummary\/sendtointake$/;
    await refuse(page, 'POST', call, 500);
    await more.click();
    await item('Send Delivery Summary to Intake').click();
    await opened.getByRole('button', { name: 'Confirm', exact: true }).click();
    await expect(toast(page, 'The system encountered an error while generating the delivery summary.')).toBeVisible();
    await expect(opened).toBeVisible();
    await page.unroute(call);
    const answer = await hold(page, call);
    const sent = page.waitForRequest(call);
    const confirm = opened.getByRole('button', { name: 'Confirm', exact: true });
    await confirm.click();
    expect((await sent).postData()).toBeNull();
    await expect(confirm).toHaveAttribute('data-loading', 'true');
    answer();
    await expect(toast(page, 'Your Delivery Summary is being generated. To view the document, go to My Intake.')).toBeVisible();
    await expect(opened).toHaveCount(0);
    await apiOf(request, 'dana').received(`Delivery summary: ${subject}`);
  });

  test('a forward without files goes on without a question; Remove leaves them behind (MSG-S-024, MSG-R-079, MSG-R-092, MSG-R-167, MSG-T-001, MSG-T-015, MSG-T-016)', async ({
    page,
    request,
  }) => {
    const subject = unique('Pass on');
    const bare = await receive(request, { subject: `${subject} bare` });
    const full = await receive(request, { subject: `${subject} full`, files: [pdf()] });
    await authenticate(page, 'dana');
    for (const id of [bare, full]) {
      await page.goto(`/release/forward/${id}`);
      if (id === full) {
        await expect(dialog(page, 'Include the attachments?').getByRole('button', { name: 'Include' })).toBeVisible();
        await dialog(page, 'Include the attachments?').getByRole('button', { name: 'Remove' }).click();
      }
      await expect(page).toHaveURL(/\/release\/forward\/draft\//);
      await expect(page.getByRole('heading', { name: 'Forward', exact: true })).toBeVisible();
      await expect(field(page, 'Subject')).toHaveValue(`FW: ${subject} ${id === bare ? 'bare' : 'full'}`);
      await expect(page.locator('.rel-att')).toHaveCount(0);
      await discard(request, page.url().split('/').pop()!);
    }
  });

  test('a reply first learns what can be looked up, keeps the documents in view without sending them back, and goes by Ctrl+Enter (MSG-S-019, MSG-R-067, MSG-R-168, MSG-R-236, MSG-R-242)', async ({
    page,
    request,
  }) => {
    const id = await receive(request, { subject: unique('Please answer'), files: [pdf()] });
    await authenticate(page, 'dana');
    const release = await hold(page, '**/api/integrations/capabilities');
    await page.goto(`/intake/${id}`);
    await expect(page.getByRole('button', { name: 'Reply', exact: true })).toBeVisible();
    await page.keyboard.press('r');
    await expect(page.getByRole('status', { name: 'Loading', exact: true })).toBeVisible();
    release();
    await expect(page.getByRole('heading', { name: 'Reply', exact: true })).toBeVisible();
    await expect(page.locator('.rel-att')).toHaveCount(0);
    await expect(page.getByRole('region', { name: 'The message that you answer' }).locator('canvas').first()).toBeVisible();
    await expect(field(page, 'Message')).toBeFocused();
    await page.keyboard.type('Thank you, we expect her on Monday.');
    const answered = page.waitForRequest((r) => r.method() === 'POST' && r.url().endsWith('/reply'));
    await page.keyboard.press('Control+Enter');
    const { body } = (await answered).postDataJSON() as { body: string };
    expect(body).toMatch(/^Thank you, we expect her on Monday\./);
    await expect(toast(page, 'The message was sent successfully.')).toBeVisible();
    await expect(page).toHaveURL(new RegExp(`/intake/${id}$`));
  });
});

test('release screens are for administrators and users: others go to their own start page (MSG-R-061, MSG-R-062, MSG-R-064, MSG-R-065, MSG-R-066)', async ({
  page,
}) => {
  await authenticate(page, 'ops');
  const id = '01a1f937-7f00-728f-9852-d099034f4dae';
  for (const path of ['draft/', '', 'forward/', 'forward/draft/', 'reply/']) {
    await page.goto(`/release/${path}${id}`);
    await expect(page).toHaveURL(/\/admin\/dashboard\/messaging$/);
  }
});

test('the home list opens also with its parameter, and paths ignore case and a slash at the end (MSG-S-013, MSG-R-038, MSG-R-039, MSG-R-058, SES-R-024, SES-R-025)', async ({
  page,
}) => {
  await signIn(page, 'dana', '/Release/?isLeftNav=true');
  await expect(page.getByRole('heading', { level: 1, name: 'Release' })).toBeVisible();
  await page.goto('/RELEASE/New/');
  await expect(page.getByRole('heading', { name: 'New release' })).toBeVisible();
});
