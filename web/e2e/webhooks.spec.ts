import { createServer, type Server } from 'node:http';
import { field, toast, unique } from './helpers';
import { afterwards, expect, signIn, test } from './support';

/** An endpoint on this machine that takes everything. */
async function endpoint() {
  const kinds: string[] = [];
  const server: Server = createServer((request, response) => {
    let body = '';
    request.on('data', (part: Buffer) => (body += part.toString()));
    request.on('end', () => {
      kinds.push((JSON.parse(body) as { type: string }).type);
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  afterwards(async () => void server.close());
  const { port } = server.address() as { port: number };
  return { url: `http://127.0.0.1:${port}/events`, kinds };
}

test('an administrator sets a webhook up, tests it, and takes it away (MSG-C-141, MSG-C-146, MSG-R-349)', async ({ page }) => {
  const { url, kinds } = await endpoint();
  const name = unique('System');
  await signIn(page, 'dana', '/account/settings/webhooks');
  await page.getByRole('button', { name: 'Create' }).click();
  await field(page, 'Name').fill(name);
  await field(page, 'Address').fill('http://hooks.larkfield.example');
  await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
  await expect(page.getByText('Please enter an https address').first()).toBeVisible();
  await field(page, 'Address').fill(url);
  await page.getByRole('combobox', { name: 'Events' }).click();
  await page.getByRole('option', { name: 'Message received' }).click();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
  await expect(toast(page, 'The webhook was created.')).toBeVisible();
  await page.getByRole('button', { name: `Actions for ${name}` }).click();
  await page.getByRole('menuitem', { name: 'Send a test' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Send' }).click();
  await expect(page.getByRole('row', { name: /Test.*Status 204/ })).toBeVisible();
  expect(kinds).toEqual(['webhook.test']);
  await page.getByRole('button', { name: 'Back to webhooks' }).click();
  await page.getByRole('button', { name: `Actions for ${name}` }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await expect(toast(page, 'The webhook was deleted.')).toBeVisible();
});

test('somebody asks for support and sees the ticket (MSG-S-079, MSG-R-406, MSG-R-475, MSG-R-476)', async ({ page }) => {
  const subject = unique('The line is busy');
  await signIn(page, 'priya', '/account/support');
  await page.getByRole('button', { name: 'New ticket' }).click();
  await page.getByRole('combobox', { name: 'Area' }).click();
  await expect(page.getByRole('listbox', { name: 'Area' }).getByRole('option')).toHaveCount(20);
  await page.getByRole('option', { name: 'Fax', exact: true }).click();
  await page.getByRole('combobox', { name: 'Severity' }).click();
  await page.getByRole('option', { name: '2 – Feature not working as expected' }).click();
  await field(page, 'Subject').fill(subject);
  await field(page, 'Details').fill('Every fax ends as busy.');
  await page.getByRole('dialog').getByRole('button', { name: 'Send' }).click();
  await expect(toast(page, 'Your support ticket was sent.')).toBeVisible();
  await expect(page.getByRole('row', { name: new RegExp(`${subject}.*Open`) })).toBeVisible();
});
