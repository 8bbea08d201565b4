import { dialog, toast } from './helpers';
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
