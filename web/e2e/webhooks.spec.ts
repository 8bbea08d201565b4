import { createServer, type Server } from 'node:http';
import { apiOf, dialog, field, unique } from './helpers';
import { afterwards, expect, signIn, test, WORK_MS } from './support';

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

test('an administrator sets a webhook up, and sees that a test reached the system behind it', async ({ page, request }) => {
  const dana = apiOf(request, 'dana');
  const { url, kinds } = await endpoint();
  const name = unique('System');
  afterwards(async () => {
    const { items } = await dana.get<{ items: { id: string }[] }>(`/api/webhooks?search=${encodeURIComponent(name)}`);
    for (const { id } of items) await dana.remove(`/api/webhooks/${id}`);
  });
  await signIn(page, 'dana', '/account/settings/webhooks');
  await page.getByRole('button', { name: 'Create' }).click();
  await field(page, 'Name').fill(name);
  await field(page, 'Address').fill(url);
  await page.getByRole('combobox', { name: 'Events' }).click();
  await page.getByRole('option', { name: 'Message received' }).click();
  await page.keyboard.press('Escape');
  await dialog(page).getByRole('button', { name: 'Create' }).click();
  await page.getByRole('button', { name: `Actions for ${name}` }).click();
  await page.getByRole('menuitem', { name: 'Send a test' }).click();
  await dialog(page, 'Send a test').getByRole('button', { name: 'Send' }).click();
  await expect(page.getByRole('row', { name: /Test.*Status 204/ })).toBeVisible({ timeout: WORK_MS });
  await expect.poll(() => kinds).toEqual(['webhook.test']);
});
