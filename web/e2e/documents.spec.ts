import { pdf, receive, unique } from './helpers';
import { expect, signIn, test, WORK_MS } from './support';

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

test('a laboratory message shows the report in it by itself, and a mail its text; the files in both open and are saved', async ({
  page,
  request,
}) => {
  const id = await receive(request, { subject: unique('Files in files'), files: [HL7, MAIL] });
  await signIn(page, 'dana', `/intake/${id}`);
  await expect(page.locator('.react-pdf__Page canvas').first()).toBeVisible({ timeout: WORK_MS });
  await expect(page.getByText('Bridget Halloran').first()).toBeVisible();
  const results = page.getByRole('navigation', { name: 'Files in Results.hl7' });
  await results.getByRole('button', { name: /^Report/ }).click();
  await expect(results.getByRole('button', { name: /^Report/ })).toHaveAttribute('aria-current', 'true');
  const saved = page.waitForEvent('download');
  await results.getByRole('button', { name: 'Download Report.pdf' }).click();
  expect((await saved).suggestedFilename()).toBe('Report.pdf');

  await page
    .getByRole('button', { name: /^Referral\.eml/ })
    .first()
    .click();
  const text = page.locator('.textLayer');
  const files = page.getByRole('navigation', { name: 'Files in Referral.eml' });
  await expect(text.getByText('Dear colleague, please see the note.').first()).toBeVisible({ timeout: WORK_MS });
  await files.getByRole('button', { name: /^note\.txt/ }).click();
  await expect(text.getByText('Right knee pain since spring.').first()).toBeVisible({ timeout: WORK_MS });
  await files.getByRole('button', { name: 'Referral.eml', exact: true }).click();
  await expect(text.getByText('Dear colleague, please see the note.').first()).toBeVisible();
});
