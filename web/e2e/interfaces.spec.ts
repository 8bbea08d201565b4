import type { APIRequestContext, Page } from '@playwright/test';
import { apiOf, dialog, LARKFIELD, unique } from './helpers';
import { afterwards, expect, signIn, test, told } from './support';

const CONNECTIONS = '/api/admin/inboundconnections';
type Connection = { id: string; name: string };

/** A request to provide one document, as the system of a hospital makes it. */
const provided = (title: string) => `<?xml version="1.0" encoding="UTF-8"?>
<s:Envelope xmlns:s="http://www.w3.org/2003/05/soap-envelope" xmlns:a="http://www.w3.org/2005/08/addressing">
<s:Header><a:Action s:mustUnderstand="true">urn:ihe:iti:2007:ProvideAndRegisterDocumentSet-b</a:Action><a:MessageID>urn:x:${title}</a:MessageID>
<d:addressBlock xmlns:d="urn:direct:addressing"><d:from>mailto:lab@northgate.example</d:from><d:to>mailto:${LARKFIELD}</d:to></d:addressBlock></s:Header>
<s:Body><x:ProvideAndRegisterDocumentSetRequest xmlns:x="urn:ihe:iti:xds-b:2007">
<l:SubmitObjectsRequest xmlns:l="urn:oasis:names:tc:ebxml-regrep:xsd:lcm:3.0">
<r:RegistryObjectList xmlns:r="urn:oasis:names:tc:ebxml-regrep:xsd:rim:3.0">
<r:ExtrinsicObject id="d1" mimeType="text/plain"><r:Name><r:LocalizedString value="Laboratory report"/></r:Name></r:ExtrinsicObject>
<r:RegistryPackage id="set"><r:Name><r:LocalizedString value="${title}"/></r:Name></r:RegistryPackage>
</r:RegistryObjectList></l:SubmitObjectsRequest>
<x:Document id="d1">${Buffer.from('Hemoglobin 13.2 g/dL').toString('base64')}</x:Document>
</x:ProvideAndRegisterDocumentSetRequest></s:Body></s:Envelope>`;

const provide = (request: APIRequestContext, title: string) =>
  request.post('/services/provide', { headers: { 'Content-Type': 'application/soap+xml' }, data: provided(title) });

const row = (page: Page, list: string, text: string) => page.getByRole('table', { name: list }).locator('tbody tr', { hasText: text });

test('a system that is refused becomes known by a connection, and its documents come in', async ({ page, request }) => {
  const title = unique('Lab');
  const name = unique('Northgate edge');
  const ops = apiOf(request, 'ops');
  afterwards(async () => {
    const { items } = await ops.get<{ items: Connection[] }>(`${CONNECTIONS}?pageSize=100`);
    for (const made of items.filter((c) => c.name === name)) await ops.remove(`${CONNECTIONS}/${made.id}`);
  });
  expect((await provide(request, title)).status()).toBe(403);
  await signIn(page, 'ops', '/admin/interfacerefusals');
  await expect(row(page, 'Refused messages', 'The sender is not known here').first()).toContainText('Unknown sender');

  await page.getByRole('tab', { name: 'Connections' }).click();
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  const form = dialog(page, 'New inbound connection');
  await form.getByRole('textbox', { name: 'Name', exact: true }).fill(name);
  await form.getByRole('combobox', { name: 'Kind' }).click();
  await page.getByRole('option', { name: 'ITI-41 and XDR' }).click();
  await form.getByRole('checkbox', { name: 'All organizations' }).check();
  await form.getByRole('combobox', { name: 'Networks' }).fill('127.0.0.0/8');
  await page.keyboard.press('Enter');
  await form.getByRole('button', { name: 'Create', exact: true }).click();
  await told(page, 'The inbound connection was created.');

  for (let times = 0; times < 2; times++) {
    const answer = await provide(request, title);
    expect(await answer.text()).toContain('ResponseStatusType:Success');
  }
  await apiOf(request, 'dana').received(title);
  await signIn(page, 'dana', '/intake');
  await page.getByLabel('Filter messages').fill(title);
  await expect(row(page, 'Intake messages', title)).toHaveCount(1);
});
