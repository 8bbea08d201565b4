import { dialog, pdf, receive, unique } from './helpers';
import { authenticate, expect, PASSWORD, signIn, test, told } from './support';

test('a colleague is asked to sign, looks at the document and signs it', async ({ page, request }) => {
  const subject = unique('Treatment plan');
  const id = await receive(request, { subject, files: [pdf('Plan.pdf', ['Plan of treatment'])] });
  await signIn(page, 'dana', `/intake/${id}`);
  const pane = page.getByRole('region', { name: 'Signatures' });
  await pane.getByRole('button', { name: 'Request' }).click();
  const asking = dialog(page, 'Request signatures');
  await asking.getByRole('combobox', { name: 'Signers' }).fill('Priya');
  await page.getByRole('option', { name: /Priya/ }).click();
  await page.keyboard.press('Escape');
  await asking.getByRole('textbox', { name: 'Note' }).fill('Before Friday, please.');
  await asking.getByRole('button', { name: 'Request' }).click();
  await expect(pane.getByRole('list', { name: 'Signers' })).toContainText('To sign');

  await authenticate(page, 'priya');
  await page.goto('/signatures');
  await page.getByRole('link', { name: subject }).click();
  await expect(pane).toContainText('Before Friday, please.');
  await pane.getByRole('button', { name: 'Sign', exact: true }).click();
  const sign = dialog(page, 'Sign documents');
  await expect(sign).toContainText('Plan.pdf');
  await sign.getByLabel('Your password').fill(PASSWORD);
  await sign.getByRole('button', { name: 'Sign', exact: true }).click();
  await told(page, 'Signed.');
  await pane.getByRole('button', { name: 'Signed documents' }).click();
  await expect(pane).toContainText(/SHA-256 [0-9a-f]{64}/);
  await page.goto('/signatures');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expect(page.getByRole('link', { name: subject })).toHaveCount(0);
});
