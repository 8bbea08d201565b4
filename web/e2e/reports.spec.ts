import { readFile } from 'node:fs/promises';
import type { APIRequestContext, Download, Page } from '@playwright/test';
import { apiOf, dialog, LARKFIELD, receive, refuse, toast, unique } from './helpers';
import { practice } from './practice';
import { expect, signIn, test } from './support';

const textOf = async (download: Download) => readFile(await download.path(), 'utf8');
const TYPES = ['Delivered', 'Exported', 'Forwarded', 'Replied', 'Deleted', 'Bounced', 'Failed', 'Processed', 'Received'];
const DATES_ERROR = 'Start Date must be smaller or equal than End Date.';

/** The query of the call that a press of Download makes, and the file that comes of it. */
async function download(page: Page, path: string) {
  const [request, file] = await Promise.all([
    page.waitForRequest((r) => r.url().includes(path)),
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download', exact: true }).click(),
  ]);
  return { request, query: new URL(request.url()).searchParams, file };
}

test.describe('the activity report', () => {
  async function open(page: Page) {
    await page.getByRole('button', { name: /^Profile:/ }).click();
    await page.getByRole('menuitem', { name: 'Activity report' }).click();
    await expect(dialog(page, 'Activity report')).toBeVisible();
  }

  test('whole days and all events are asked for, and a CSV file is saved under the time in UTC (SES-C-053, MSG-C-017, SES-R-352, SES-R-353, SES-R-354, SES-R-355, SES-R-356, SES-R-357, MSG-R-456)', async ({
    page,
    request,
  }) => {
    const id = await receive(request, { subject: unique('Activity') });
    await signIn(page, 'priya');
    await open(page);
    const { query, file } = await download(page, '/api/messages/eventsreport');
    expect(query.get('pageSize')).toBe('10000');
    expect(query.get('eventTypes')).toBe(TYPES.join(','));
    const local = (name: string) => new Date(query.get(name)!);
    expect(query.get('start')).toBe(local('start').toISOString());
    expect([local('start').getHours(), local('start').getMinutes(), local('start').getSeconds()]).toEqual([0, 0, 0]);
    expect([local('end').getHours(), local('end').getMinutes(), local('end').getSeconds()]).toEqual([23, 59, 59]);
    expect(local('end').toDateString()).toBe(new Date().toDateString());
    expect(file.suggestedFilename()).toMatch(/^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.csv$/);
    const lines = (await textOf(file)).split('\r\n');
    expect(lines[0]).toBe('Time,Event,Direction,Source,From,To,User,Message ID');
    const own = lines.find((line) => line.endsWith(id));
    expect(own).toContain(',Received,Intake,DirectMessage,');
    expect(own).toContain(LARKFIELD);
    await expect(toast(page, 'The activity report was saved.')).toBeVisible();
    await expect(dialog(page, 'Activity report')).toBeHidden();
  });

  test('it is saved as a document to keep', async ({ page }) => {
    await signIn(page, 'priya');
    await open(page);
    await dialog(page, 'Activity report').getByRole('radio', { name: 'Document to keep (PDF)' }).check();
    const { query, file } = await download(page, '/api/messages/eventsreport');
    expect(query.get('asPdf')).toBe('true');
    expect(file.suggestedFilename()).toMatch(/Z\.pdf$/);
    expect((await textOf(file)).startsWith('%PDF')).toBe(true);
  });

  test('every event type can be chosen by its name (SES-T-051, SES-T-052, SES-T-053, SES-T-054, SES-T-055, SES-T-056, SES-T-057, SES-T-058, SES-T-059, SES-R-355)', async ({
    page,
  }) => {
    await signIn(page, 'priya');
    await open(page);
    const boxes = dialog(page, 'Activity report').getByRole('checkbox');
    await expect(boxes).toHaveCount(TYPES.length);
    for (const [i, type] of TYPES.entries()) {
      await expect(boxes.nth(i)).toHaveAccessibleName(type);
      if (type !== 'Forwarded') await boxes.nth(i).uncheck();
    }
    const { query } = await download(page, '/api/messages/eventsreport');
    expect(query.get('eventTypes')).toBe('Forwarded');
  });

  test('days that cannot be and no event at all are refused before anything is asked ', async ({ page }) => {
    await signIn(page, 'priya');
    await open(page);
    const requests: string[] = [];
    page.on('request', (r) => r.url().includes('eventsreport') && requests.push(r.url()));
    for (const type of TYPES) await page.getByRole('checkbox', { name: type, exact: true }).uncheck();
    await page.getByRole('textbox', { name: 'Start Date' }).fill('12/31/2099');
    await page.getByRole('button', { name: 'Download', exact: true }).click();
    await expect(dialog(page, 'Activity report').getByText(DATES_ERROR)).toBeVisible();
    await expect(page.getByText('Choose at least one event.')).toBeVisible();
    expect(requests).toEqual([]);
  });

  test('a report that cannot be had says so with its status (MSG-R-433, MSG-T-110)', async ({ page }) => {
    await signIn(page, 'priya');
    await refuse(page, 'GET', /\/api\/messages\/eventsreport\?/, 503);
    await open(page);
    await page.getByRole('button', { name: 'Download', exact: true }).click();
    await expect(toast(page, 'Unable to download the report file. Status: 503')).toBeVisible();
    await expect(dialog(page, 'Activity report')).toBeVisible();
  });

  test('the dashboard shows what happened of late, 30 events of 14 days (SES-C-050, MSG-C-016, SES-R-273)', async ({ page, request }) => {
    const subject = unique('Lately');
    await receive(request, { subject });
    const listed = page.waitForRequest((r) => r.url().includes('/api/messages/events?'));
    await signIn(page, 'dana');
    const query = new URL((await listed).url()).searchParams;
    expect([query.get('pageSize'), query.get('start')]).toEqual(['30', null]);
    const latest = page.getByRole('region', { name: 'Recent activity' }).getByRole('listitem').filter({ hasText: subject });
    await expect(latest).toContainText('Received');
    await expect(latest.locator('time')).toHaveText(/^\d{1,2}:\d\d [AP]M$/);
    await latest.getByRole('link').click();
    await expect(page).toHaveURL(/\/intake\/[0-9a-f-]{36}/);
  });
});

test('to whom documents of a patient went in six years is saved as a file', async ({ page }) => {
  await signIn(page, 'dana', '/account/activity');
  await page.getByRole('button', { name: 'Disclosures of a patient' }).click();
  const opened = dialog(page, 'Disclosures of a patient');
  await opened.getByLabel('Last name').fill('Halloran');
  await opened.getByRole('textbox', { name: 'Date of birth' }).fill('7/2/1979');
  await opened.getByLabel('First name').fill('Bridget');
  const { request } = await download(page, '/api/patients/disclosures');
  expect(request.postDataJSON()).toEqual({ lastName: 'Halloran', firstName: 'Bridget', birthDate: '1979-07-02' });
  await expect(opened).toBeHidden();
});

test('the disclosures of a patient are saved as a document to keep', async ({ page }) => {
  await signIn(page, 'dana', '/account/activity');
  await page.getByRole('button', { name: 'Disclosures of a patient' }).click();
  const opened = dialog(page, 'Disclosures of a patient');
  await opened.getByLabel('Last name').fill('Halloran');
  await opened.getByRole('textbox', { name: 'Date of birth' }).fill('7/2/1979');
  await opened.getByLabel('First name').fill('Bridget');
  await opened.getByRole('radio', { name: 'Document to keep (PDF)' }).check();
  const { query, request, file } = await download(page, '/api/patients/disclosures');
  expect(query.get('asPdf')).toBe('true');
  expect(request.postDataJSON()).toEqual({ lastName: 'Halloran', firstName: 'Bridget', birthDate: '1979-07-02' });
  expect((await textOf(file)).startsWith('%PDF')).toBe(true);
});

test.describe('the reports of the console', () => {
  const tile = (page: Page, name: string) => page.getByRole('button', { name: new RegExp(`^${name}`) });

  for (const who of ['ops', 'rita'] as const)
    test(`${who} finds the reports and saves them (ADA-S-031, SES-S-009, SES-R-303, ADA-C-045, ADA-C-046, ADA-C-048, ADA-R-113)`, async ({
      page,
    }) => {
      await signIn(page, who);
      await page.getByRole('link', { name: 'Reports', exact: true }).click();
      await expect(page).toHaveURL(/\/admin\/reports$/);
      for (const [name, head] of [
        ['Direct Addresses', 'Organization ID,Organization,Subdomain,Direct Address,Name'],
        ['Organizations', 'Organization ID,Organization,Subdomain,NPI'],
        ['Users', 'User ID,Username,First Name,Last Name'],
        ['Download Contacts Statistics', 'Organization ID,Organization,Saved Contacts'],
      ] as const) {
        const [file] = await Promise.all([page.waitForEvent('download'), tile(page, name).click()]);
        expect(await textOf(file)).toContain(head);
        await expect(toast(page, `The report ${name} was saved.`)).toBeVisible();
      }
    });

  test('nobody of an organization sees the reports (SES-R-301)', async ({ page }) => {
    await signIn(page, 'dana');
    await expect(page.getByRole('link', { name: 'Reports', exact: true })).toHaveCount(0);
    await page.goto('/admin/reports');
    await expect(page).toHaveURL(/\/unauthorized$/);
  });

  test('messages are asked for by days and page, from last month to today (ADA-S-034, ADA-C-050, ADA-R-115, ADA-R-125, ADA-R-126, ADA-R-127)', async ({
    page,
  }) => {
    await signIn(page, 'ops', '/admin/reports');
    await tile(page, 'Messages').click();
    const month = new Date();
    const shown = (d: Date) => d.toLocaleDateString('en-US', { month: '2-digit', day: '2-digit', year: 'numeric' });
    await expect(page.getByRole('textbox', { name: 'End Date' })).toHaveValue(shown(month));
    const { query, file } = await download(page, '/api/admin/reports/events');
    const start = new Date(query.get('start')!);
    expect((month.getMonth() + 12 - start.getMonth()) % 12).toBe(1);
    expect([query.get('pageSize'), query.get('pageNumber'), query.get('eventTypes')]).toEqual(['10000', '1', TYPES.join(',')]);
    expect(await textOf(file)).toContain('Time,Event,Organization ID,Organization,Direction,User,Message ID');
    await expect(dialog(page, 'Messages')).toBeHidden();
  });

  test('dates and page of the messages report must be possible (ADA-R-117, ADA-R-118, ADA-R-119, ADA-R-120, ADA-R-121, ADA-R-122, ADA-R-123, ADA-R-124)', async ({
    page,
  }) => {
    await signIn(page, 'ops', '/admin/reports');
    await tile(page, 'Messages').click();
    const [start, end] = [page.getByRole('textbox', { name: 'Start Date' }), page.getByRole('textbox', { name: 'End Date' })];
    const number = page.getByRole('textbox', { name: 'Page Number' });
    const send = page.getByRole('button', { name: 'Download', exact: true });
    const today = await end.inputValue();
    for (const [from, until] of [
      ['', today],
      ['12/31/2099', '12/31/2099'],
      ['01/02/2026', '01/01/2026'],
      ['01/01/2026', ''],
    ] as const) {
      await start.fill(from);
      await end.fill(until);
      await send.click();
      const notice = dialog(page, 'Messages').getByText('There are invalid fields on this page.');
      await expect(notice).toBeVisible();
      await expect(dialog(page, 'Messages').getByText(DATES_ERROR)).toBeVisible();
    }
    await number.fill('1234');
    await expect(number).toHaveValue('12');
    await start.fill(today);
    await end.fill(today);
    await number.fill('');
    await send.click();
    await expect(page.getByText('Please enter a valid value for this field.')).toBeVisible();
    await number.fill('1');
    await download(page, '/api/admin/reports/events');
  });

  for (const [name, path, head] of [
    ['Unassigned Addresses', 'addresses/unassigned', 'Organization ID,Organization,Subdomain,Direct Address,Name'],
    ['Intake Rules', 'intakerules', 'Organization ID,Organization,Position,Rule,Enabled,Stops,User ID,Username'],
    ['Download Profiles', 'downloadprofiles', 'Organization ID,Organization,Processed Documents,Saved As'],
  ] as const)
    test(`${name} are asked for by organization (ADA-C-051, ADA-C-052, ADA-C-053, ADA-S-035, ADA-S-036, ADA-S-037, ADA-R-116, ADA-R-131, ADA-T-054, ADA-T-055)`, async ({
      page,
    }) => {
      await signIn(page, 'rita', '/admin/reports');
      await tile(page, name).click();
      await page.getByRole('button', { name: 'Download', exact: true }).click();
      await expect(page.getByText('Please choose an organization.')).toBeVisible();
      await page.getByRole('combobox', { name: 'Organizations' }).fill('Larkf');
      await page.getByRole('option', { name: 'Larkfield Family Medicine' }).click();
      await page.keyboard.press('Tab');
      const { request, file } = await download(page, `/api/admin/reports/${path}`);
      expect(request.postDataJSON()).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/)]);
      expect(request.headers().accept).toBe('text/csv');
      expect(await textOf(file)).toContain(head);
    });

  test('devices are asked for by days (ADA-C-049, ADA-S-033, ADA-R-114, ADA-R-129, ADA-T-048)', async ({ page }) => {
    await signIn(page, 'ops', '/admin/reports');
    await tile(page, 'Devices').click();
    const start = page.getByRole('textbox', { name: 'Start Date' });
    const usual = await start.inputValue();
    await start.fill('12/31/2099');
    await page.getByRole('button', { name: 'Download', exact: true }).click();
    await expect(dialog(page, 'Devices').getByText(DATES_ERROR)).toBeVisible();
    await start.fill(usual);
    const { query, file } = await download(page, '/api/admin/reports/devices');
    expect(query.get('startDate')).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
    expect(await textOf(file)).toContain('User ID,Username,Organization ID,Organization,Device');
  });

  test('a long report is made in the background, and downloaded when it is ready (ADA-S-032, ADA-R-049, ADA-T-047, ADB-S-003, ADB-R-030, ADB-R-031, ADB-R-032, ADB-R-033, ADB-R-034)', async ({
    page,
  }) => {
    await signIn(page, 'ops', '/admin/reports');
    await page.getByRole('link', { name: /^Generated Reports/ }).click();
    await expect(page).toHaveURL(/\/admin\/generatedreports$/);
    await page.getByRole('button', { name: 'Generate' }).click();
    const box = dialog(page, 'Generate report');
    await box.getByRole('combobox', { name: 'Report' }).click();
    await page.getByRole('option', { name: 'Messages' }).click();
    await box.getByRole('button', { name: 'Generate' }).click();
    await expect(toast(page, 'The report is being made. It appears here when it is ready.')).toBeVisible();
    const file = page.getByRole('button', { name: /^messages-\d{4}-\d\d-\d\d\.csv$/ }).first();
    await expect(file).toBeVisible();
    const [saved] = await Promise.all([page.waitForEvent('download'), file.click()]);
    expect(saved.suggestedFilename()).toMatch(/^messages-.*\.csv$/);
    expect(await textOf(saved)).toContain('Time,Event,Organization ID,Organization,Direction,User,Message ID');
    await expect(page.getByLabel('Rows per page').locator('option')).toHaveText(['10', '25', '50', '100']);
    await page.getByRole('button', { name: 'Actions for Messages' }).first().click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await dialog(page, 'Delete report').getByRole('button', { name: 'Delete' }).click();
    await expect(toast(page, 'The report was deleted.')).toBeVisible();
  });
});

test.describe('the directory entries of an organization', () => {
  type Organization = { id: string; name: string; street: string; city: string };

  async function larkfield(request: APIRequestContext) {
    const ops = apiOf(request, 'ops');
    const found = await ops.get<{ items: { id: string }[] }>('/api/organizations?search=Larkfield%20Family');
    return ops.get<Organization>(`/api/organizations/${found.items[0]!.id}`);
  }
  const oid = () => `2.16.840.1.113883.3.${Date.now()}`;
  const rowOf = (page: Page, text: string) =>
    page.getByRole('table', { name: 'Directory entries' }).locator('tbody tr').filter({ hasText: text });
  const act = async (page: Page, name: string, item: string) => {
    await page.getByRole('button', { name: `Actions for ${name}` }).click();
    await page.getByRole('menuitem', { name: item, exact: true }).click();
  };

  test('an entry begins with what is known of the organization, and is added and edited (ADA-S-013, ADA-S-027, ADA-S-028, ADA-C-030, ADA-C-031, ADA-R-091, ADA-R-092, ADA-R-095, ADA-R-096, ADA-R-098, ADA-R-099, ADA-R-332, ADA-T-027, ADA-T-039, ADA-T-120, ADA-T-121, SES-R-277, SES-R-278, SES-T-042, SES-T-043, SES-T-044, SES-T-045, SES-T-047, SES-T-049, ADA-R-111)', async ({
    page,
    request,
  }) => {
    const organization = await larkfield(request);
    await signIn(page, 'ops', `/admin/organizations/${organization.id}/cq`);
    await expect(page).toHaveURL(/\/carequality$/);
    await expect(page.getByRole('tab', { name: 'Carequality' })).toHaveAttribute('aria-selected', 'true');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    const box = dialog(page, 'Add Directory Entry');
    await expect(box.getByLabel('Display Name')).toHaveValue(organization.name);
    await expect(box.getByLabel('Street')).toHaveValue(organization.street);
    await expect(box.getByLabel('City')).toHaveValue(organization.city);
    await expect(box.getByLabel('Country')).toHaveValue('US');
    await expect(box.getByRole('checkbox', { name: 'Active' })).toBeChecked();
    await expect(box.getByLabel('Purpose of Use Codes')).toHaveAttribute('readonly', '');
    const [id, name] = [oid(), unique('Branch')];
    await box.getByRole('combobox', { name: 'Responder Type' }).click();
    await expect(page.getByRole('listbox', { name: 'Responder Type' }).getByRole('option')).toHaveText([
      'Direct Responder - Repository Owner',
      'Child Location - For Directory Purposes',
      'Gateway Responder - No Repository',
      'Gateway Member - Data Repository',
      'Initiator Only',
    ]);
    await page.getByRole('option', { name: 'Initiator Only' }).click();
    await box.getByRole('textbox', { name: 'Organization ID', exact: true }).fill(id);
    await box.getByLabel('Display Name').fill(name);
    await box.getByLabel('Other Names').fill('Annex');
    await box.getByLabel('Parent Organization ID').fill('2.16.840.1');
    await box.getByRole('button', { name: 'Save' }).click();
    await expect(toast(page, 'The Directory Entry was added successfully.')).toBeVisible();
    await expect(rowOf(page, name)).toContainText(id);
    await expect(rowOf(page, name)).toContainText('2.16.840.1');
    await expect(rowOf(page, name)).toContainText('Sub-Participant');
    await act(page, name, 'Edit');
    const edit = dialog(page, 'Edit Directory Entry');
    await expect(edit.getByText('Annex')).toBeVisible();
    await edit.getByLabel('Legal Name').fill('Larkfield Annex LLC');
    await edit.getByRole('button', { name: 'Save' }).click();
    await expect(toast(page, 'The Directory Entry was edited successfully.')).toBeVisible();
    const entries = await apiOf(request, 'ops').get<{ items: Record<string, unknown>[] }>(
      `/api/admin/organizations/${organization.id}/directoryentries`,
    );
    const saved = entries.items.find((e) => e.organizationId === id);
    expect(saved).toMatchObject({ legalName: 'Larkfield Annex LLC', initiatorOnly: true, otherNames: ['Annex'], isActive: true });
  });

  test('entries are taken over from the directory of the network by their OIDs (ADA-S-030, ADA-C-032, ADA-R-090, ADA-R-093, ADA-R-094, ADA-T-042, ADA-T-046, ADA-T-123)', async ({
    page,
    request,
  }) => {
    const own = await practice(request, 'registered');
    const { items } = await apiOf(request, 'ops').get<{ items: { id: string }[] }>(
      `/api/organizations?search=${encodeURIComponent(own.name)}`,
    );
    await signIn(page, 'ops', `/admin/organizations/${items[0]!.id}/carequality`);
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    const box = dialog(page, 'Import Directory Entries from the FHIR Directory');
    for (const known of ['2.16.840.1.113883.3.9999.10.1', '2.16.840.1.113883.3.9999.404']) {
      await box.getByLabel('OIDs').fill(known);
      await box.getByLabel('OIDs').press('Enter');
    }
    await refuse(page, 'POST', /\/directoryentries\/sync$/, 500);
    await box.getByRole('button', { name: 'Import', exact: true }).click();
    await expect(toast(page, 'There was an error syncing')).toBeVisible();
    await page.unrouteAll();
    const [asked] = await Promise.all([
      page.waitForRequest((r) => r.url().endsWith('/directoryentries/sync')),
      box.getByRole('button', { name: 'Import', exact: true }).click(),
    ]);
    expect(asked.postDataJSON()).toEqual({ oids: ['2.16.840.1.113883.3.9999.10.1', '2.16.840.1.113883.3.9999.404'] });
    await expect(toast(page, '1 entry added. Not in the directory: 2.16.840.1.113883.3.9999.404.')).toBeVisible();
    await expect(rowOf(page, 'Cascade Clinic North')).toContainText('2.16.840.1.113883.3.9999.10');
  });

  test('an entry is deactivated and activated after a question (ADA-S-029, ADA-R-101, ADA-T-045, ADA-T-124, ADA-T-044)', async ({
    page,
    request,
  }) => {
    const { id } = await larkfield(request);
    const name = unique('Branch');
    const path = `/api/admin/organizations/${id}/directoryentries`;
    const body = { responderType: 'ChildLocation', organizationId: oid(), displayName: name };
    const address = { address: '7 Quay Street', city: 'Harborline', state: 'OH', zipCode: '43998', country: 'US' };
    await apiOf(request, 'ops').put(path, { ...body, ...address });
    await signIn(page, 'ops', `/admin/organizations/${id}/carequality`);
    await act(page, name, 'Deactivate');
    await refuse(page, 'PUT', /\/directoryentries$/, 500);
    await dialog(page, 'Deactivate Directory Entry').getByRole('button', { name: 'Deactivate' }).click();
    await expect(toast(page, 'There was an error activating or deactivating this OID.')).toBeVisible();
    await page.unrouteAll();
    await dialog(page, 'Deactivate Directory Entry').getByRole('button', { name: 'Deactivate' }).click();
    await expect(rowOf(page, name)).toContainText('Inactive');
    await act(page, name, 'Activate');
    await dialog(page, 'Activate Directory Entry').getByRole('button', { name: 'Activate' }).click();
    await expect(rowOf(page, name)).not.toContainText('Inactive');
  });

  test('what is required of an entry is asked for, and what the server says is shown (ADA-R-103, ADA-R-104, ADA-R-105, ADA-R-106, ADA-R-107, ADA-R-108, ADA-R-109, ADA-R-110, ADA-R-112, ADA-T-122)', async ({
    page,
    request,
  }) => {
    const { id } = await larkfield(request);
    const path = `**/api/admin/organizations/${id}/directoryentries`;
    await signIn(page, 'ops', `/admin/organizations/${id}/carequality`);
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    const box = dialog(page, 'Add Directory Entry');
    const required = ['Organization ID', 'Display Name', 'Street', 'City', 'State', 'Zip', 'Country'];
    for (const label of required) await box.getByRole('textbox', { name: label, exact: true }).fill('');
    await box.getByRole('button', { name: 'Save' }).click();
    for (const label of required)
      await expect(box.getByRole('textbox', { name: label, exact: true })).toHaveAttribute('aria-invalid', 'true');
    for (const label of ['Home Community ID', 'Legal Name', 'Parent Organization ID'])
      await expect(box.getByRole('textbox', { name: label, exact: true })).not.toHaveAttribute('aria-invalid', 'true');
    for (const label of required) await box.getByRole('textbox', { name: label, exact: true }).fill(label === 'Country' ? 'US' : '43998');
    await box.getByRole('textbox', { name: 'Organization ID', exact: true }).fill(oid());
    await box.getByRole('combobox', { name: 'Responder Type' }).click();
    await page.getByRole('option', { name: 'Initiator Only' }).click();
    await refuse(page, 'PUT', /\/directoryentries$/, 500);
    await box.getByRole('button', { name: 'Save' }).click();
    await expect(toast(page, 'There was an error upserting this entry')).toBeVisible();
    await page.unrouteAll();
    await page.route(path, (route) => route.fulfill({ status: 500, json: { message: 'The directory sleeps.' } }));
    await page.reload();
    await expect(page.getByText('The directory sleeps.')).toBeVisible();
    await expect(page.getByRole('table', { name: 'Directory entries' }).locator('tbody tr[data-opens]')).toHaveCount(0);
  });
});
