import { apiOf, pdf, unique } from './helpers';
import { afterwards, expect, signIn, test, WORK_MS } from './support';

const NOBODY = 'nobody@summit-ortho.direct.carepost.example';

test('what did not arrive stands in one list with its reason, is sent to somebody else, and leaves when it is acknowledged', async ({
  page,
  request,
}) => {
  const dana = apiOf(request, 'dana');
  const subject = unique('To nobody');
  const row = page.locator('[aria-label="Undelivered messages"] tbody tr[data-opens]', { hasText: subject });
  const act = async (name: string) => {
    await row.getByRole('button', { name: /^Actions for/ }).click();
    await page.getByRole('menuitem', { name, exact: true }).click();
  };
  await dana.send({ subject, to: [NOBODY], files: [pdf()] });
  await signIn(page, 'dana', '/release');
  await page.getByRole('link', { name: /^Undelivered/ }).click();
  await expect(row).toContainText('This address does not exist.', { timeout: WORK_MS });
  await act('Change recipient');
  await expect(page).toHaveURL(/\/release\/draft\//);
  const draft = page.url().split('/').at(-1)!;
  afterwards(() => dana.forget(draft));
  await expect(page.getByRole('textbox', { name: 'Subject' })).toHaveValue(subject);
  await expect(page.getByText('Report.pdf').first()).toBeVisible();
  await expect(page.getByText(NOBODY)).toHaveCount(0);
  await page.goto('/release/failed');
  await act('Acknowledge');
  await expect(row).toHaveCount(0);
});
