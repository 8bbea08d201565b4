import { apiOf, dialog, pdf, receive, SUMMIT, toast, unique } from './helpers';
import { practice } from './practice';
import { expect, signIn, test } from './support';

const SETTINGS = '/account/settings/documents';

test('an administrator says how documents are exported, and learns when a colleague was faster (MSG-R-157, MSG-R-158, MSG-R-159, MSG-R-372)', async ({
  page,
  request,
}) => {
  const { userName } = await practice(request, 'at work');
  await signIn(page, userName, SETTINGS);
  await page.getByRole('radio', { name: 'A folder for each patient' }).check();
  await page.getByRole('switch', { name: /A folder for each visit/ }).check();
  await page.getByRole('button', { name: 'Save settings' }).click();
  await expect(toast(page, 'The document settings were saved.')).toBeVisible();
  await page.reload();
  await expect(page.getByRole('switch', { name: /A folder for each visit/ })).toBeChecked();
  await page.getByRole('radio', { name: 'Print' }).check();
  await expect(page.getByRole('radio', { name: 'A folder for each patient' })).toBeHidden();
  await page.getByRole('link', { name: 'Users' }).click();
  await expect(dialog(page)).toContainText('Document settings');
});

const HL7 = {
  name: 'Results.hl7',
  mimeType: 'x-application/hl7-v2+er7',
  buffer: Buffer.from(
    [
      'MSH|^~\\&|LAB|Cedar|||20261117093000||ORU^R01|C1|P|2.5.1',
      'PID|1||8842^^^Cedar^MR||Halloran^Bridget||19790702|F',
      'OBR|1|P1|F1|24323-8^Metabolic panel^LN',
      'OBX|1|NM|2345-7^Glucose^LN||104|mg/dL|70-99|H|||F',
      `OBX|2|ED|PDF^Report||LAB^application^pdf^Base64^${pdf().buffer.toString('base64')}||||||F`,
    ].join('\r'),
  ),
};
const MAIL = {
  name: 'Referral.eml',
  mimeType: 'message/rfc822',
  buffer: Buffer.from(
    [
      'From: Ada Poe <ada@larkfield.example>',
      'To: records@cedar.example',
      'Subject: Referral of Bridget Halloran',
      'Date: Tue, 17 Nov 2026 09:30:00 -0500',
      'MIME-Version: 1.0',
      'Content-Type: multipart/mixed; boundary=o',
      '',
      '--o',
      'Content-Type: text/plain',
      '',
      'Dear colleague, please see the note.',
      '--o',
      'Content-Type: text/plain; name=note.txt',
      'Content-Disposition: attachment; filename=note.txt',
      '',
      'Right knee pain since spring.',
      '--o--',
      '',
    ].join('\r\n'),
  ),
};

test('a laboratory message is read by the names of its fields, and the report in it opens by itself', async ({ page, request }) => {
  const id = await receive(request, { subject: unique('Results with a report'), files: [HL7] });
  await signIn(page, 'dana', `/intake/${id}`);
  await expect(page.locator('.react-pdf__Page canvas').first()).toBeVisible();
  await expect(page.getByText('Bridget Halloran').first()).toBeVisible();
  const files = page.getByRole('navigation', { name: 'Files in Results.hl7' });
  await files.getByRole('button', { name: /^Report/ }).click();
  await expect(files.getByRole('button', { name: /^Report/ })).toHaveAttribute('aria-current', 'true');
  await expect(page.locator('.react-pdf__Page canvas').first()).toBeVisible();
  const saved = page.waitForEvent('download');
  await files.getByRole('button', { name: 'Download Report.pdf' }).click();
  expect((await saved).suggestedFilename()).toBe('Report.pdf');
});

test('a mail is shown with its head and text, and the files in it open in its place and back', async ({ page, request }) => {
  const draft = await apiOf(request, 'dana').draft({ subject: unique('A mail is attached'), to: [SUMMIT], files: [MAIL] });
  await signIn(page, 'dana', `/release/draft/${draft}`);
  await page
    .getByRole('button', { name: /^Referral\.eml/ })
    .first()
    .click();
  await page.getByText('Attachment preview').click();
  await expect(page.locator('.textLayer').getByText('Dear colleague, please see the note.').first()).toBeVisible();
  const files = page.getByRole('navigation', { name: 'Files in Referral.eml' });
  await files.getByRole('button', { name: /^note\.txt/ }).click();
  await expect(page.locator('.textLayer').getByText('Right knee pain since spring.').first()).toBeVisible();
  await files.getByRole('button', { name: 'Referral.eml', exact: true }).click();
  await expect(page.locator('.textLayer').getByText('Dear colleague, please see the note.').first()).toBeVisible();
});
