import type { Page } from '@playwright/test';
import {
  apiOf,
  ccda,
  dialog,
  extracted,
  field,
  pdf,
  pick,
  receive,
  refuse,
  results,
  SUMMIT,
  switchFeature,
  TEXT,
  toast,
  unique,
} from './helpers';
import { authenticate, expect, signIn, test } from './support';

const open = async (page: Page, id: string) => {
  await page.goto(`/intake/${id}`);
  await expect(page.getByRole('button', { name: 'Back to Intake' })).toBeVisible();
};
const attachment = (page: Page, name: string) => page.locator('.cp-att-open', { hasText: name });
const processButton = (page: Page) => page.getByRole('button', { name: 'File and next', exact: true });
/** Without a document type the screen asks first: for the type, where the patient is known. */
const processAnyway = async (page: Page) => {
  await processButton(page).click();
  const question = dialog(page, 'Before this is processed');
  const type = dialog(page, 'Document type');
  await expect(question.or(type)).toBeVisible();
  if (await type.isVisible()) await type.getByRole('option', { name: 'Without a type' }).click();
  await question.getByRole('button', { name: /^Process (anyway|without them)$/ }).click();
};
const problems = (page: Page) => page.locator('.cp-problems');

test('people who open the same message learn of each other until one leaves (SES-S-068, SES-R-227, SES-T-080, SES-T-081, MSG-S-068, MSG-R-255, MSG-R-435, MSG-R-436, SES-R-225, SES-R-226, MSG-R-405, MSG-T-113, MSG-T-114)', async ({
  page,
  request,
  browser,
  baseURL,
}) => {
  const id = await receive(request, { subject: unique('Seen by two') });
  await authenticate(page, 'priya');
  await open(page, id);
  const context = await browser.newContext({ baseURL });
  const other = await context.newPage();
  await authenticate(other, 'dana');
  await open(other, id);
  await expect(toast(page, 'Dana Whitfield has opened this message.')).toBeVisible();
  await expect(page.getByText('Dana Whitfield currently has this message open.')).toBeVisible();
  await expect(other.getByText('Priya Nandakumar currently has this message open.')).toBeVisible();
  // The tab ends without a word.
  await context.close();
  await expect(page.getByText('Dana Whitfield currently has this message open.')).toBeHidden();
});

test('files of each kind are shown: PDF, text and a C-CDA with Preview and CDA Explorer (MSG-S-035, MSG-S-036, MSG-S-037, MSG-R-119, MSG-R-120, MSG-T-033, MSG-T-034)', async ({
  page,
  request,
}) => {
  const id = await receive(request, { subject: unique('Several kinds'), files: [pdf(), TEXT, ccda()] });
  await authenticate(page, 'dana');
  await open(page, id);
  await expect(page.locator('.react-pdf__Page canvas').first()).toBeVisible();
  await attachment(page, 'Visit note.txt').click();
  await expect(page.locator('.react-pdf__Page canvas').first()).toBeVisible();
  await attachment(page, 'Summary of care.xml').click();
  await expect(page.getByRole('tab', { name: 'Preview' })).toHaveAttribute('aria-selected', 'true');
  await expect(page.frameLocator('iframe[title="Summary of care.xml"]').getByText('No known allergies.')).toBeVisible();
  await page.getByRole('tab', { name: 'CDA Explorer' }).click();
  await expect(page.getByRole('navigation', { name: 'Sections' }).getByText('Allergies')).toBeVisible();
  // A structured document states its details itself.
  await expect(page.getByText('From the document')).toBeVisible();
  await expect(page.getByRole('combobox', { name: 'Document type' })).toBeDisabled();
  await expect(page.getByRole('combobox', { name: 'Confidentiality' })).toBeDisabled();
});

test('a clinical document is searched and enlarged', async ({ page, request }) => {
  const id = await receive(request, { subject: unique('To be searched'), files: [ccda()] });
  await authenticate(page, 'dana');
  await open(page, id);
  const document = page.frameLocator('iframe[title="Summary of care.xml"]');
  await expect(document.getByText('No known allergies.')).toBeVisible();
  await page.getByRole('button', { name: 'Find in document' }).click();
  await page.getByRole('textbox', { name: 'Find in document' }).fill('known allerg');
  await expect(page.getByRole('search').getByRole('status')).toHaveText('1 of 1');
  await expect(document.locator('mark:target')).toHaveText('known allerg');
  await page.getByRole('button', { name: 'Close search' }).click();
  await expect(document.getByText('No known allergies.')).toBeVisible();
  await expect(document.locator('mark')).toHaveCount(0);
  await page.getByRole('button', { name: 'Zoom in' }).click();
  await expect(page.getByText('125%')).toBeVisible();
});

test('a file becomes a PDF in place, and its original comes back (MSG-R-214, MSG-R-421, MSG-R-438, MSG-S-040)', async ({
  page,
  request,
}) => {
  const id = await receive(request, { subject: unique('To be converted'), files: [TEXT] });
  await authenticate(page, 'dana');
  await open(page, id);
  const act = async (file: string, item: string) => {
    await page.getByRole('button', { name: `Actions for ${file}` }).click();
    await page.getByRole('menuitem', { name: item }).click();
  };
  await act('Visit note.txt', 'Convert to PDF');
  await expect(attachment(page, 'Visit note.pdf')).toBeVisible();
  await expect(page.locator('.react-pdf__Page canvas').first()).toBeVisible();
  await act('Visit note.pdf', 'Restore the original');
  await dialog(page, 'Restore Attachment').getByRole('button', { name: 'Restore' }).click();
  await expect(toast(page, 'Original attachment restored.')).toBeVisible();
  await expect(attachment(page, 'Visit note.txt')).toBeVisible();
});

test('a file that was sent as CDA is shown as the file, with what its header says (MSG-R-136)', async ({ page, request }) => {
  const files = [{ ...pdf(), meta: { confidentiality: 'Restricted' } }];
  const id = await receive(request, { subject: unique('Sent as CDA'), files, more: { conversion: 'Cda' } });
  await authenticate(page, 'dana');
  await open(page, id);
  await expect(attachment(page, 'Report.xml')).toBeVisible();
  // The file is taken out of the document first.
  await expect(page.locator('.react-pdf__Page canvas').first()).toBeVisible({ timeout: 30_000 });
  await expect(page.getByRole('button', { name: 'Print' })).toHaveCount(1);
  await expect(page.getByRole('combobox', { name: 'Document type' })).toHaveValue('Progress note');
  await expect(page.getByRole('combobox', { name: 'Confidentiality' })).toHaveValue('Restricted');
  await expect(field(page, 'Document date')).toHaveValue('01/15/2026');
  await page.getByRole('tab', { name: 'CDA Explorer' }).click();
  await expect(page.getByText(/carries a file of type application\/pdf/)).toBeVisible();
});

test('the CDA Explorer tells what is new since the document before, and draws the values of a measurement', async ({ page, request }) => {
  const patient = { firstName: 'Oran', lastName: 'Quennell', birthDate: '1991-03-09', gender: 'M' };
  const clinical = (...values: [string, string][]) =>
    ccda({ first: patient.firstName, last: patient.lastName, born: '19910309', more: results(values) });
  const before = await receive(request, { subject: unique('Before'), patient, files: [clinical(['20260105', '7.1'])] });
  // Only what was filed counts as known.
  await apiOf(request, 'dana').put(`/api/messages/${before}/process`, { isProcessed: true, acceptsGaps: true });
  const after = [clinical(['20260105', '7.1'], ['20260405', '6.8'])];
  const id = await receive(request, { subject: unique('After'), patient, files: after });
  await authenticate(page, 'dana');
  await open(page, id);
  await page.getByRole('tab', { name: 'CDA Explorer' }).click();
  await expect(page.getByRole('heading', { name: '1 new entry since Summary of care of 01/15/2026' })).toBeVisible();
  await expect(page.getByRole('link', { name: 'Summary of care of 01/15/2026' })).toHaveAttribute('href', `/intake/${before}`);
  await page.getByRole('button', { name: 'New only' }).click();
  const entries = page.getByRole('region', { name: 'Entries' });
  await expect(entries.locator('tbody tr')).toHaveCount(1);
  await expect(entries.locator('tbody tr')).toContainText('New');
  await entries.getByRole('button', { name: 'Hemoglobin A1c' }).click();
  await expect(entries.getByRole('img', { name: 'Hemoglobin A1c: 7.1 on 01/05/2026, 6.8 on 04/05/2026' })).toBeVisible();
});

test('without its feature there is no CDA Explorer (MSG-R-121)', async ({ page, request }) => {
  const id = await receive(request, { subject: unique('Clinical document'), files: [ccda()] });
  await switchFeature(request, 'IntakeCdaViewer', false);
  await authenticate(page, 'dana');
  await open(page, id);
  await expect(page.getByRole('tab', { name: 'Preview' })).toBeVisible();
  await expect(page.getByRole('tab', { name: 'CDA Explorer' })).toHaveCount(0);
});

test('turning quickly through clinical documents asks only for the last one (MSG-S-038, MSG-R-122, MSG-R-123)', async ({
  page,
  request,
}) => {
  const files = ['One.xml', 'Two.xml', 'Three.xml'].map((name) => ({ ...ccda(), name }));
  const id = await receive(request, { subject: unique('Three documents'), files });
  await authenticate(page, 'dana');
  await open(page, id);
  await expect(page.locator('iframe[title="One.xml"]')).toBeVisible();
  let asked = 0;
  page.on('request', (r) => {
    if (r.headers().accept === 'text/html' && r.url().includes('/attachments/')) asked++;
  });
  // Two clicks within one turn of the browser.
  await page.evaluate(() => {
    for (const name of ['Two.xml', 'Three.xml'])
      [...document.querySelectorAll<HTMLElement>('.cp-att-open')].find((b) => b.textContent?.includes(name))?.click();
  });
  await expect(page.frameLocator('iframe[title="Three.xml"]').getByText('No known allergies.')).toBeVisible();
  expect(asked).toBe(1);
});

test('a clinical document that names another patient asks before it overwrites, and lists the differences (MSG-S-043, MSG-R-219, MSG-R-220)', async ({
  page,
  request,
}) => {
  const id = await receive(request, { subject: unique('Another patient'), files: [ccda({ first: 'Teo', last: 'Castellanos' })] });
  await apiOf(request, 'dana').setPatient(id, {
    firstName: 'Matteo',
    lastName: 'Castellanos',
    telephone: '7405550111',
  });
  await authenticate(page, 'dana');
  await open(page, id);
  await page.getByRole('button', { name: 'From document' }).click();
  const box = dialog(page, 'Overwrite patient details');
  await expect(box).toContainText('First name');
  await expect(box).toContainText('Matteo → Teo');
  await expect(box).not.toContainText('Last name');
  // Nothing of another person may stay.
  await expect(box).toContainText('→ none');
  await box.getByRole('button', { name: 'Cancel' }).click();
  await expect(field(page, 'First name')).toHaveValue('Matteo');
  await page.getByRole('button', { name: 'From document' }).click();
  await box.getByRole('button', { name: 'Overwrite' }).click();
  await expect(field(page, 'First name')).toHaveValue('Teo');
  await expect(field(page, 'Birth date')).toHaveValue('04/17/1988');
  await expect(field(page, 'Telephone')).toHaveValue('');
});

test('patient fields hold 35 characters, three genders and the states (MSG-S-034, MSG-R-144, MSG-R-145, MSG-R-446)', async ({
  page,
  request,
}) => {
  const id = await receive(request, { subject: unique('Long names'), files: [pdf()] });
  await authenticate(page, 'dana');
  await open(page, id);
  await page.getByRole('button', { name: 'Address and visit' }).click();
  for (const name of ['First name', 'Middle name', 'Last name', 'Patient ID', 'Street address', 'Unit', 'City', 'Visit ID'])
    await expect(field(page, name)).not.toHaveAttribute('maxlength');
  await field(page, 'Last name').fill('x'.repeat(36));
  await expect(field(page, 'Last name')).toHaveValue('x'.repeat(36));
  await expect(page.getByText('At most 35 characters; these are 36.')).toBeVisible();
  await field(page, 'Last name').fill('x'.repeat(35));
  await expect(page.getByText(/^At most 35 characters/)).toHaveCount(0);
  await page.getByRole('combobox', { name: 'Gender' }).click();
  await expect(page.getByRole('option').filter({ visible: true })).toHaveText(['Female', 'Male', 'Undifferentiated']);
  await page.keyboard.press('Escape');
  await pick(page, 'State', 'Armed Forces Pacific');
  await expect(page.getByText('Saved').first()).toBeVisible();
  const saved = await apiOf(request, 'dana').get<{ patient: { state: string } }>(`/api/messages/${id}`);
  expect(saved.patient.state).toBe('AP');
});

test('a telephone number that is not whole is told when its field is left, and holds the message back until it is (MSG-R-331, MSG-R-333, MSG-R-341, MSG-T-076)', async ({
  page,
  request,
}) => {
  const id = await receive(request, { subject: unique('Half a number'), files: [pdf()] });
  await apiOf(request, 'dana').setPatient(id, { firstName: 'Bridget', lastName: 'Halloran' });
  await authenticate(page, 'dana');
  await open(page, id);
  const wrong = page.getByText('Please enter a valid value for this field.', { exact: true });
  const telephone = field(page, 'Telephone');
  await field(page, 'Patient ID').fill('LFM-9');
  await telephone.fill('555010');
  await expect(telephone).toHaveValue('(555) 010-');
  await expect(wrong).toHaveCount(0);
  await processButton(page).click();
  await expect(wrong).toHaveCount(1);
  await expect(problems(page).getByRole('listitem')).toHaveText('Telephone: Please enter a valid value for this field.');
  await expect(telephone).toBeFocused();
  await expect(page.getByRole('status').getByText('Not saved')).toBeVisible();
  await telephone.fill('5550100142');
  await processAnyway(page);
  await expect(toast(page, 'The message has been successfully processed.')).toBeVisible();
  const saved = await apiOf(request, 'dana').get<{ patient: object }>(`/api/messages/${id}`);
  expect(saved.patient).toMatchObject({ patientId: 'LFM-9', telephone: '5550100142' });
});

test('the document date is the message’s own, today’s, or one to choose; the description has 255 characters (MSG-S-071, MSG-S-072, MSG-R-184, MSG-R-185, MSG-R-186, MSG-R-187, MSG-R-150, MSG-R-153, MSG-R-305, MSG-R-397, MSG-R-449, MSG-T-060)', async ({
  page,
  request,
}) => {
  const file = { ...pdf(), meta: { documentDateType: 'selected', documentDate: '2026-01-15' } };
  const id = await receive(request, { subject: unique('Dated'), files: [file] });
  const types = page.waitForRequest((r) => r.url().includes('/api/documenttypes?'));
  await authenticate(page, 'dana');
  await open(page, id);
  expect((await types).url()).toMatch(/sort=asc&page=1&size=1000/);
  const today = new Date().toLocaleDateString('en-US', { month: '2-digit', day: '2-digit', year: 'numeric' });
  const date = field(page, 'Document date');
  await pick(page, 'Date from', "Today's Date");
  await expect(date).toHaveValue(today);
  await pick(page, 'Date from', 'Select a Date');
  await expect(date).toHaveValue('');
  await expect(date).toBeFocused();
  await pick(page, 'Date from', 'Original File Date');
  await expect(date).toHaveValue(today);
  await date.fill('01/01/2099');
  await page.keyboard.press('Tab');
  await expect(page.getByText('Document Date must be equal or less than today.')).toBeVisible();
  await expect(field(page, 'Description')).toHaveAttribute('maxlength', '255');
  await page.getByRole('combobox', { name: 'Confidentiality' }).click();
  await expect(page.getByRole('option').filter({ visible: true })).toHaveText(['Normal', 'Restricted', 'Very Restricted']);
});

test('document types that cannot be loaded are told (MSG-R-428, MSG-T-104)', async ({ page, request }) => {
  const id = await receive(request, { subject: unique('No types'), files: [pdf()] });
  await refuse(page, 'GET', /\/api\/documenttypes/, 400, { message: 'The connected system does not answer.' });
  await authenticate(page, 'dana');
  await open(page, id);
  await expect(toast(page, 'DocumentTypes - The connected system does not answer.')).toBeVisible();
});

test('processing is told, undone, and done again (MSG-T-093, MSG-R-254, MSG-R-142)', async ({ page, request }) => {
  const id = await receive(request, { subject: unique('To process'), files: [pdf()] });
  await authenticate(page, 'dana');
  await open(page, id);
  const done = page.waitForResponse((r) => r.url().endsWith(`/api/messages/${id}/process`));
  await page.getByRole('button', { name: 'Export' }).click();
  const download = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: 'PDF' }).click();
  expect((await download).suggestedFilename()).toMatch(/^carepost_pdf-export_\d{8}T\d{6}Z\.pdf$/);
  await processAnyway(page);
  // It is told at once, and done when the server has answered.
  expect((await done).request().postDataJSON()).toMatchObject({ isProcessed: true, processType: 'PDFExport' });
  await expect(toast(page, 'The message has been successfully processed.')).toBeVisible();
  await open(page, id);
  await page.getByRole('button', { name: 'Reopen' }).click();
  await expect(toast(page, 'The message has been successfully reopened.')).toBeVisible();
  await expect(processButton(page)).toBeVisible();
});

test('files are exported under brand, kind and time; failures are told (MSG-R-431, MSG-R-432, MSG-R-434, MSG-R-469, MSG-T-108, MSG-T-109, MSG-T-111)', async ({
  page,
  request,
}) => {
  const id = await receive(request, { subject: unique('To export'), files: [pdf()] });
  await authenticate(page, 'dana');
  await open(page, id);
  await expect(page.locator('.react-pdf__Page canvas').first()).toBeVisible();
  const exportAs = async (kind: string) => {
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('menuitem', { name: kind }).click();
  };
  const saved = page.waitForEvent('download');
  await exportAs('Original file');
  expect((await saved).suggestedFilename()).toMatch(/^carepost_native-export_\d{8}T\d{6}Z\.pdf$/);
  const file = new RegExp(`/api/messages/${id}/attachments/[^/]+$`);
  await refuse(page, 'GET', file, 500);
  await exportAs('Original file');
  await expect(toast(page, 'An error occured while exporting. Please contact support.')).toBeVisible();
  await page.getByRole('button', { name: 'Actions for Report.pdf' }).click();
  await page.getByRole('menuitem', { name: 'Download' }).click();
  await expect(toast(page, 'Unable to download the file.')).toBeVisible();
  await page.unroute(file);
  await refuse(page, 'GET', file, 409, { message: 'The file is being checked.' });
  await exportAs('Original file');
  await expect(toast(page, 'The file is being checked.')).toBeVisible();
  await page.evaluate(() => Object.defineProperty(URL, 'createObjectURL', { value: undefined }));
  await exportAs('Original file');
  await expect(toast(page, "Your browser doesn't support exporting. Please try another browser.")).toBeVisible();
});

test('printing opens the print page with its job in a new window, or says that it failed (SES-S-027, MSG-S-012, MSG-R-045, MSG-R-046, MSG-R-430, MSG-T-107, SES-R-027, SES-R-028)', async ({
  page,
  request,
}) => {
  const id = await receive(request, { subject: unique('On paper'), files: [pdf()] });
  await authenticate(page, 'dana');
  await open(page, id);
  const print = async () => {
    await page.getByRole('button', { name: 'Actions for Report.pdf' }).click();
    await page.getByRole('menuitem', { name: 'Print' }).click();
  };
  const popup = page.waitForEvent('popup');
  await print();
  await expect(await popup).toHaveURL(new RegExp(`/print\\?job=${id}\\.[0-9a-f-]{36}$`));
  await (await popup).close();
  await page.evaluate(() => {
    window.open = () => null;
  });
  await print();
  await expect(toast(page, 'An error occurred while attempting to print. Please try again.')).toBeVisible();
});

test('what a PDF says about its patient fills empty fields only, unverified until confirmed (MSG-R-198, MSG-R-203, MSG-R-204, MSG-R-205)', async ({
  page,
  request,
}) => {
  const report = pdf('Report.pdf', ['Patient: Tenney, Marisol', 'DOB: 03/14/1961', 'Sex: Female']);
  const id = await receive(request, { subject: unique('Read for us'), files: [report] });
  await apiOf(request, 'dana').setPatient(id, { firstName: 'Maria' });
  await extracted(request, id);
  await signIn(page, 'dana', `/intake/${id}`);
  await expect(page.getByText('Read from page 1, not verified')).toBeVisible();
  // The field that has the focus shows where its value stands.
  await field(page, 'Birth date').focus();
  await expect(page.getByRole('button', { name: 'Read here: Birth date' })).toHaveAttribute('data-on', 'true');
  await expect(field(page, 'First name')).toHaveValue('Maria');
  await expect(field(page, 'Last name')).toHaveValue('Tenney');
  await expect(field(page, 'Birth date')).toHaveValue('03/14/1961');
  await expect(page.locator('.cp-unv')).toHaveCount(3);
  await page.getByRole('button', { name: 'Confirm last name, read from the document' }).click();
  await expect(page.locator('.cp-unv')).toHaveCount(2);
  await page.getByRole('button', { name: 'Confirm all 2' }).click();
  await expect(page.getByText('Read from page 1, not verified')).toBeHidden();
  await expect(page.getByText('Saved').first()).toBeVisible();
});

test('urgent needs a reviewer, and goes with the reviewer (MSG-R-216, MSG-R-217)', async ({ page, request }) => {
  const id = await receive(request, { subject: unique('Urgent'), files: [pdf()] });
  await authenticate(page, 'dana');
  await open(page, id);
  const urgent = page.getByRole('checkbox', { name: 'Urgent' });
  await expect(urgent).toBeDisabled();
  await pick(page, 'Reviewer', 'Priya Nandakumar');
  await expect(urgent).toBeEnabled();
  await urgent.click();
  await expect(urgent).toBeChecked();
  await page.getByRole('combobox', { name: 'Reviewer' }).fill('');
  await page.keyboard.press('Tab');
  await expect(urgent).not.toBeChecked();
  await expect(urgent).toBeDisabled();
});

test('reading a message and a file is recorded (MSG-R-391, SES-R-351)', async ({ page, request }) => {
  const id = await receive(request, { subject: unique('Read'), files: [pdf()] });
  await authenticate(page, 'priya');
  const read = page.waitForResponse((r) => /\/attachments\/[^/]+\/read$/.test(r.url()));
  await open(page, id);
  expect((await read).ok()).toBe(true);
  const { items } = await apiOf(request, 'dana').get<{ items: { createdBy: string; eventType: string }[] }>(`/api/audit/message/${id}`);
  expect(items).toContainEqual(expect.objectContaining({ createdBy: 'Priya Nandakumar', eventType: 'Read' }));
});

test('administrators look through the activity: kinds, dates, ten a page, and an empty text (MSG-S-025, MSG-R-093, MSG-R-094, MSG-R-095, MSG-R-096, MSG-R-097, MSG-R-452, MSG-T-018, MSG-T-019, MSG-T-020, MSG-T-021)', async ({
  page,
  request,
}) => {
  const id = await receive(request, { subject: unique('Activity'), files: [pdf()] });
  for (let n = 0; n < 12; n++) await apiOf(request, 'dana').put(`/api/messages/${id}/read`);
  for (let n = 0; n < 12; n++) await apiOf(request, 'dana').get(`/api/messages/${id}`);
  await authenticate(page, 'dana');
  await open(page, id);
  await page.getByRole('button', { name: 'Show all' }).click();
  const box = dialog(page, 'Activity');
  await expect(box.getByRole('columnheader')).toHaveText(['User', 'Type', 'Date']);
  await expect(box.getByText(/^1–10/)).toBeVisible();
  await expect(box.getByText(/Viewed (9|10) times/)).toBeVisible();
  await box.getByRole('button', { name: 'Next page' }).click();
  await expect(box.getByText(/^11–/)).toBeVisible();
  await box.getByRole('combobox', { name: 'Activity' }).click();
  await expect(page.getByRole('option').first()).toBeVisible();
  await page.keyboard.press('Escape');
  await field(page, 'From').fill('01/01/2001');
  await field(page, 'To').fill('01/02/2001');
  await page.keyboard.press('Tab');
  await expect(box.getByText('There are no results matching your criteria.')).toBeVisible();
});

test('users who are no administrators see no activity (MSG-R-098)', async ({ page, request }) => {
  const id = await receive(request, { subject: unique('Private'), files: [pdf()] });
  await authenticate(page, 'priya');
  await open(page, id);
  await expect(page.getByRole('heading', { name: 'Attachments' })).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Activity' })).toHaveCount(0);
});

test('a message without files says so, and Intake takes no uploads (MSG-R-427, MSG-R-174, MSG-T-103)', async ({ page, request }) => {
  const id = await receive(request, { subject: unique('Words only') });
  await authenticate(page, 'priya');
  await open(page, id);
  await expect(page.getByText('No attachments added.')).toBeVisible();
  await expect(page.locator('input[type=file]')).toHaveCount(0);
});

test('a PDF that cannot be opened says why, and can be downloaded', async ({ page, request }) => {
  const broken = { ...pdf('Broken.pdf'), buffer: Buffer.from('%PDF-1.7\nnothing follows\n') };
  const id = await receive(request, { subject: unique('Broken'), files: [broken] });
  await authenticate(page, 'dana');
  await open(page, id);
  await expect(page.getByRole('heading', { name: 'This document could not be opened' })).toBeVisible();
  await expect(page.getByText('The file is damaged or no PDF. Its sender can be asked for another one.')).toBeVisible();
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download the file' }).click();
  expect((await download).suggestedFilename()).toBe('Broken.pdf');
});

test('a known patient is recognized in a document, and one key takes the details over', async ({ page, request }) => {
  // A name that nobody else has, in letters alone.
  const lastName = unique('Ottoway')
    .replace(/[^A-Za-z]/g, '')
    .concat('ia');
  const known = { firstName: 'Ottoline', lastName, birthDate: '1961-03-14', gender: 'F', patientId: 'LFM-20417', telephone: '5550100142' };
  await apiOf(request, 'dana').send({ subject: unique('Known'), to: [SUMMIT], patient: known, files: [TEXT] });
  const lines = [`Patient Name: Ottoline ${lastName}`, 'DOB: 03/14/1961', 'Sex: F'];
  const id = await receive(request, { subject: unique('Recognized'), files: [pdf('Report.pdf', lines)] });
  await apiOf(request, 'dana').setPatient(id, {});
  await authenticate(page, 'dana');
  await open(page, id);
  const list = page.getByRole('list', { name: `Known patients like Ottoline ${lastName}` });
  await expect(list.getByText(/^Certain \d+%$/)).toBeVisible();
  await expect(list.getByText('Same: last name, first name, birth date, gender.')).toBeVisible();
  await page.keyboard.press('m');
  await expect(field(page, 'Patient ID')).toHaveValue('LFM-20417');
  await expect(list).toBeHidden();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(field(page, 'Patient ID')).toHaveValue('');
});
