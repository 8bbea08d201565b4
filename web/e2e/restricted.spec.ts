import { apiOf, ccda, receive, unique } from './helpers';
import { afterwards, authenticate, expect, signIn, test, WORK_MS, told } from './support';

type User = { id: string };

test('an administrator takes the permission for restricted documents away, and the person sees a lock in their place', {
  tag: '@critical',
}, async ({ page, request, browser, baseURL }) => {
  const id = await receive(request, { subject: unique('Restricted summary'), files: [ccda({ code: 'R' })] });
  const dana = apiOf(request, 'dana');
  const owen = (await dana.get<{ items: User[] }>('/api/users?search=owen')).items[0]!;
  const permit = async () => {
    const path = `/api/users/${owen.id}`;
    await dana.put(path, { ...(await dana.get<object>(path)), permissions: { openRestricted: true } });
  };
  await permit();
  afterwards(permit);

  await signIn(page, 'dana', `/account/users/${owen.id}`);
  await page.getByRole('checkbox', { name: 'May open restricted documents' }).uncheck();
  await page.getByRole('button', { name: 'Save Changes' }).click();
  await told(page, 'User successfully updated.');

  const context = await browser.newContext({ baseURL });
  const other = await context.newPage();
  await authenticate(other, 'owen');
  await other.goto(`/intake/${id}`);
  const lock = other.getByText('You may not open this document');
  await expect(lock).toBeVisible();
  await permit();
  await other.getByRole('button', { name: 'Try again' }).click();
  await expect(lock).toHaveCount(0);
  await expect(other.frameLocator('iframe').getByText('No known allergies.')).toBeVisible({ timeout: WORK_MS });
  await context.close();
});
