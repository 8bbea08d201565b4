import type { Locator, Page } from '@playwright/test';
import { apiOf, unique } from './helpers';
import { afterwards, expect, signIn, test } from './support';

const RULES = '/api/admin/routingrules';
const TITLE = 'Message Routing Rules';
const dialog = (page: Page, name: string) => page.getByRole('dialog', { name, exact: true });
const shows = (page: Page, text: string) => expect(page.getByText(text).first()).toBeVisible();
const row = (page: Page, text: string) => page.getByRole('table', { name: TITLE }).locator('tbody tr').filter({ hasText: text });
const press = (within: Page | Locator, name: string | RegExp) =>
  within.getByRole('button', { name, exact: typeof name === 'string' }).click();
const fill = (form: Locator, field: string, text: string) => form.getByRole('textbox', { name: field, exact: true }).fill(text);

async function fromMenu(page: Page, name: string, item: string) {
  await press(page, `Actions for ${name}`);
  await page.getByRole('menuitem', { name: item, exact: true }).click();
}

async function choose(page: Page, form: Locator, field: string, option: string) {
  await form.getByRole('combobox', { name: field }).click();
  await page.getByRole('option', { name: option, exact: true }).click();
}

/** The next call of this method fails without a reason. */
const failOnce = (page: Page, method: string) => {
  let isOver = false;
  return page.route(`**${RULES}**`, (route) => {
    if (isOver || route.request().method() !== method) return route.fallback();
    isOver = true;
    return route.fulfill({ status: 500, contentType: 'application/problem+json', body: '{}' });
  });
};

const local = () => unique('results').replace(' ', '');

/** A rule of this test alone. */
async function aRule(page: Page, fields: object = {}) {
  const api = apiOf(page.request, 'ops');
  const address = `${local()}@northgate.direct.example`;
  const body = { address, stepType: 'SendAsHL7OverVpnStep', securityType: 'None', ...fields };
  const rule = (await api.post(RULES, body)) as { id: string; address: string };
  afterwards(() => api.remove(`${RULES}/${rule.id}`));
  return { api, ...rule };
}

test('a routing rule is created, found, edited and deleted (ADB-S-010, ADB-S-011, ADB-S-016, ADB-R-082, ADB-R-083, ADB-R-091, ADB-R-092, ADB-R-106, ADB-R-107, ADB-R-108, ADB-R-111, ADB-R-112, ADB-R-113, ADB-R-114, ADB-R-115, ADB-R-116, ADB-T-018, ADB-T-021, ADB-T-022, ADB-T-023, ADB-T-024)', async ({
  page,
}) => {
  await signIn(page, 'ops', '/admin/messageroutingrules');
  const address = `${local()}@northgate.direct.example`;
  await press(page, 'Create');
  const form = dialog(page, 'New routing rule');
  await fill(form, 'Address', address);
  await choose(page, form, 'Step type', 'HL7 over MLLP');
  await choose(page, form, 'Security model', 'Mutual TLS');
  await expect(form.getByRole('textbox', { name: 'Custom certificate name' })).toBeHidden();
  await choose(page, form, 'Security model', 'Certificate');
  await expect(form.getByRole('textbox', { name: 'Custom certificate name' })).toHaveAttribute('placeholder', 'Default');
  await choose(page, form, 'Convert to format', 'MDM');
  await choose(page, form, 'Location code', 'smh');
  await failOnce(page, 'POST');
  await press(form, 'Create');
  await shows(page, 'There was an error saving this Routing Rule.');
  await press(form, 'Create');
  await shows(page, 'The Routing Rule was saved successfully.');

  const search = page.waitForRequest((r) => r.url().includes(`search=${encodeURIComponent(address)}`));
  const begun = Date.now();
  await page.getByLabel('Search routing rules').fill(address);
  await search;
  expect(Date.now() - begun).toBeGreaterThanOrEqual(280);
  await expect(row(page, address)).toContainText('MDM');
  await page.getByRole('button', { name: `Actions for ${address}` }).click();
  await expect(page.getByRole('menuitem')).toHaveText(['Edit', 'Manage endpoints', 'Manage sending organizations', 'Test', 'Delete']);
  await page.getByRole('menuitem', { name: 'Edit' }).click();
  const edit = dialog(page, 'Edit routing rule');
  await choose(page, edit, 'Convert to format', 'ORU');
  await press(edit, 'Save Changes');
  await shows(page, 'The Routing Rule was saved successfully.');
  await expect(row(page, address)).toContainText('ORU');

  await fromMenu(page, address, 'Delete');
  const question = dialog(page, 'Delete routing rule');
  await expect(question).toContainText(address);
  await expect(question).toContainText('It has no endpoints.');
  await failOnce(page, 'DELETE');
  await press(question, 'Delete');
  await shows(page, 'There was an error deleting this message routing rule.');
  await press(question, 'Delete');
  await shows(page, 'The Message Routing Rule was deleted successfully.');
  await expect(page.getByRole('heading', { name: 'No routing rule matches' })).toBeVisible();
});

test('rules are sorted by address in pages of 10, 25, 50 or 100, with a long KeyHIE address cut off (ADB-R-084, ADB-R-085, ADB-R-086, ADB-R-087, ADB-R-089)', async ({
  page,
}) => {
  const keyHieAddress = 'a-very-long-keyhie-address';
  const { address } = await aRule(page, { stepType: 'SendToKeyhieOverVpnStep', keyHieAddress });
  const first = page.waitForRequest((r) => r.url().includes(`${RULES}?`));
  await signIn(page, 'ops', '/admin/messageroutingrules');
  expect((await first).url()).toContain('pageSize=10');
  for (const title of ['Step type', 'Convert to format', 'Location code', 'Facility OID', 'KeyHIE address', 'Endpoints', 'Orgs']) {
    await expect(page.getByRole('columnheader', { name: title })).toBeVisible();
  }
  const shortened = row(page, address).getByText('a-very-long-keyhi…');
  await expect(shortened).toHaveAttribute('title', keyHieAddress);
  await expect(row(page, address)).toContainText('None');
  const sorted = page.waitForRequest((r) => r.url().includes('sortDir=desc'));
  await press(page.getByRole('columnheader', { name: 'Address', exact: true }), /Address/);
  await sorted;
});

test('endpoints of a rule are added, edited and deleted (ADB-S-012, ADB-S-013, ADB-R-117, ADB-R-122, ADB-R-123, ADB-R-124, ADB-R-126, ADB-R-127, ADB-R-128, ADB-R-129, ADB-R-130, ADB-R-131, ADB-T-019, ADB-T-025, ADB-T-026, ADB-T-027)', async ({
  page,
}) => {
  const { address } = await aRule(page);
  await signIn(page, 'ops', `/admin/messageroutingrules?search=${encodeURIComponent(address)}`);
  await fromMenu(page, address, 'Manage endpoints');
  const list = dialog(page, 'Manage Endpoints');
  await press(list, 'Add endpoint');
  const form = dialog(page, 'Add endpoint');
  await fill(form, 'IP address or hostname', '127.0.0.1');
  await fill(form, 'Port', '99999');
  await press(form, 'Add');
  await shows(page, 'Please enter a port from 1 to 65535.');
  await fill(form, 'Port', '9');
  await failOnce(page, 'POST');
  await press(form, 'Add');
  await shows(page, 'There was an error creating the Endpoint');
  await press(form, 'Add');
  await shows(page, 'The Endpoint was created successfully.');
  await expect(list.getByRole('listitem')).toContainText('127.0.0.1, port 9');

  await press(list, /^Edit/);
  const edit = dialog(page, 'Edit endpoint');
  await fill(edit, 'Port', '10');
  await failOnce(page, 'PUT');
  await press(edit, 'Save Changes');
  await shows(page, 'There was an error updating the Endpoint');
  await press(edit, 'Save Changes');
  await shows(page, 'The Endpoint was saved successfully.');

  await press(list, /^Delete/);
  const question = dialog(page, 'Delete endpoint');
  await failOnce(page, 'DELETE');
  await press(question, 'Delete');
  await shows(page, 'There was an error deleting the Endpoint');
  await press(question, 'Delete');
  await shows(page, 'The Endpoint was deleted successfully.');
  await expect(list).toContainText('Without an endpoint, messages to this address go by Direct.');
});

test('sending organizations of a rule are added, edited and removed (ADB-S-014, ADB-S-015, ADB-R-132, ADB-R-134, ADB-R-135, ADB-R-136, ADB-R-138, ADB-R-139, ADB-R-140, ADB-R-141, ADB-R-143, ADB-R-144, ADB-R-145, ADB-R-146, ADB-R-147, ADB-R-148, ADB-T-020, ADB-T-028, ADB-T-029, ADB-T-030)', async ({
  page,
}) => {
  const { address } = await aRule(page);
  await signIn(page, 'ops', `/admin/messageroutingrules?search=${encodeURIComponent(address)}`);
  await fromMenu(page, address, 'Manage sending organizations');
  const list = dialog(page, 'Manage Senders');
  await press(list, 'Add organization');
  const form = dialog(page, 'Add sending organization');
  const organization = form.getByRole('combobox', { name: 'Organization' });
  const searches: string[] = [];
  page.on('request', (r) => r.url().includes('/api/organizations?') && searches.push(r.url()));
  await organization.pressSequentially('L');
  await fill(form, 'OID', '1.2.840.99.1');
  await press(form, 'Add');
  await shows(page, 'Please choose an organization from the list.');
  expect(searches).toEqual([]);
  const begun = Date.now();
  const asked = page.waitForRequest((r) => r.url().includes('/api/organizations?'));
  await organization.fill('Lark');
  const url = new URL((await asked).url());
  expect(Date.now() - begun).toBeGreaterThanOrEqual(280);
  expect(Object.fromEntries(url.searchParams)).toMatchObject({ search: 'Lark', sortDir: 'asc', pageNumber: '1', pageSize: '20' });
  await page
    .getByRole('option', { name: /^Larkfield/ })
    .first()
    .click();
  await failOnce(page, 'POST');
  await press(form, 'Add');
  await shows(page, 'There was an error adding the Organization to this routing rule.');
  await press(form, 'Add');
  await shows(page, 'The Organization was added to this routing rule successfully.');
  await expect(list.getByRole('listitem')).toContainText('1.2.840.99.1');

  await press(list, /^Edit/);
  const edit = dialog(page, 'Edit sending organization');
  await fill(edit, 'OID', '1.2.840.99.2');
  await failOnce(page, 'PUT');
  await press(edit, 'Save Changes');
  await shows(page, 'There was an error updating the Organization.');
  await press(edit, 'Save Changes');
  await shows(page, 'The Organization was saved successfully.');

  await press(list, /^Remove/);
  const question = dialog(page, 'Remove sending organization');
  await failOnce(page, 'DELETE');
  await press(question, 'Remove');
  await shows(page, 'There was an error removing the Endpoint');
  await press(question, 'Remove');
  await shows(page, 'The Organization was removed successfully.');
});

test('a test message shows what was said to an endpoint, and a dry run what the rule would have taken', async ({ page }) => {
  const { address, api, id } = await aRule(page);
  await api.post(`${RULES}/endpoints`, { routingRuleId: id, ipAddress: '127.0.0.1', port: '9' });
  await signIn(page, 'ops', `/admin/messageroutingrules?search=${encodeURIComponent(address)}`);
  await fromMenu(page, address, 'Test');
  const opened = dialog(page, 'Test routing rule');
  await expect(opened.getByRole('region', { name: 'Dry run' })).toContainText(/Would have taken 0 of [\d,]+ deliver/);
  await press(opened, 'Send test message');
  await expect(opened.getByText('Not reached')).toBeVisible();
  await expect(opened.getByLabel('Sent')).toContainText('TEST^ROUTING');
});
