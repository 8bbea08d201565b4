import type { Page } from '@playwright/test';
import {
  apiOf,
  ccda,
  chooseSize,
  dialog,
  type Draft,
  field,
  hold,
  type NewFile,
  PATIENT,
  pdf,
  pick,
  switchFeature,
  refuse,
  SUMMIT,
  TEXT,
  toast,
  unique,
} from './helpers';
import { afterwards, authenticate, expect, test } from './support';

const FROM = 'records@larkfield.direct.carepost.example';
const errors = (page: Page) => page.locator('#release-errors');
const review = (page: Page) => page.getByRole('button', { name: 'Review and send' });
const select = async (page: Page, id: string, option: string) => {
  await page.locator(id).click();
  await page.getByRole('option', { name: option, exact: true }).first().click();
};
const openNew = async (page: Page, query = '') => {
  await page.goto(`/release/new${query}`);
  await expect(page.getByRole('heading', { name: 'New release' })).toBeVisible();
};
const openDraft = async (page: Page, id: string) => {
  await page.goto(`/release/draft/${id}`);
  await expect(page.getByRole('heading', { name: 'Draft', exact: true })).toBeVisible();
};
const attachDialog = (page: Page) => dialog(page, /^Attach/);
const choose = (page: Page, ...files: NewFile[]) =>
  attachDialog(page)
    .locator('input[type=file]')
    .setInputFiles(files.map(({ name, mimeType, buffer }) => ({ name, mimeType, buffer })));
const attach = async (page: Page, file: NewFile, structured = false) => {
  await page.getByRole('button', { name: 'Attach with details' }).click();
  await choose(page, file);
  if (!structured) await pick(page, 'Confidentiality', 'Normal');
  await attachDialog(page).getByRole('button', { name: 'Attach', exact: true }).click();
};
/** A new release that became a draft with its first file. */
const beginWithFile = async (page: Page) => {
  await openNew(page);
  await select(page, '#release-from', FROM);
  const created = page.waitForResponse((r) => r.request().method() === 'PUT' && r.url().endsWith('/api/messages'));
  await attach(page, TEXT);
  const { id } = (await (await created).json()) as { id: string };
  await expect(page.getByRole('button', { name: 'Edit Visit note.txt' })).toBeVisible();
  return id;
};
/** A draft of Dana's that can be sent. */
const readyDraft = async (request: Parameters<typeof apiOf>[0], over: Partial<Draft> = {}) => {
  const types = await apiOf(request, 'dana').get<{ releaseTypes: { id: string; name: string }[] }>('/api/releasetypes');
  const releaseTypeId = types.releaseTypes.find((t) => t.name === 'Referral')!.id;
  return apiOf(request, 'dana').draft({ subject: unique('Ready'), to: [SUMMIT], more: { releaseTypeId }, ...over });
};
const discard = (request: Parameters<typeof apiOf>[0], id: string) => apiOf(request, 'dana').remove(`/api/messages/${id}`);

test.describe('writing', () => {
  test.beforeEach(async ({ page }) => authenticate(page, 'dana'));

  test('a PDF that cannot be opened is told to its sender, who can take it back', async ({ page, request }) => {
    await openNew(page);
    const created = page.waitForResponse((r) => r.request().method() === 'PUT' && r.url().endsWith('/api/messages'));
    await attach(page, { name: 'Broken.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7\nnothing follows\n') });
    const { id } = (await (await created).json()) as { id: string };
    afterwards(() => apiOf(request, 'dana').forget(id));
    await expect(page.getByText('The file is damaged and cannot be shown.')).toBeVisible();
    await page.getByRole('button', { name: 'Remove Broken.pdf' }).click();
    await page.getByRole('button', { name: 'OK', exact: true }).click();
    await expect(page.getByText('The file is damaged and cannot be shown.')).toBeHidden();
    await page.getByRole('button', { name: 'Discard' }).click();
    await dialog(page, 'Discard this release?').getByRole('button', { name: 'Discard' }).click();
    await expect(page).toHaveURL(/\/release$/);
  });

  test('the screen has all it needs (MSG-S-014, MSG-S-048, MSG-S-049, MSG-S-053, MSG-S-055, MSG-T-044, MSG-R-068, MSG-R-074, MSG-R-076, MSG-R-078, MSG-R-136, MSG-T-041, MSG-T-042, MSG-T-043)', async ({
    page,
  }) => {
    await openNew(page);
    for (const name of ['Release type', 'From']) await expect(page.getByRole('combobox', { name })).toBeVisible();
    for (const name of ['Saved addresses', 'Save', 'Discard']) await expect(page.getByRole('button', { name, exact: true })).toBeVisible();
    await expect(review(page)).toBeVisible();
    await page.getByRole('radiogroup', { name: 'What to show' }).getByText('Attachment preview').click();
    await expect(page.getByText('Attach a file to see it here.')).toBeVisible();
    await page.getByRole('radiogroup', { name: 'What to show' }).getByText('Message', { exact: true }).click();
    await expect(field(page, 'Message')).toBeVisible();
    const sendAs = page.getByRole('radiogroup', { name: 'Send attachments as' });
    await expect(sendAs.getByText('Original')).toBeVisible();
    await expect(sendAs.getByText('PDF')).toBeVisible();
    await expect(sendAs.getByText('CDA')).toBeVisible();
    await expect(page.getByText('No attachments added.')).toBeVisible();
    await page.getByRole('combobox', { name: 'Release type' }).click();
    await expect(page.getByRole('option', { name: 'Cardiology referral' })).toBeVisible();
    await expect(page.getByRole('option', { name: 'Summary of care' })).toBeVisible();
  });

  test('addresses are suggested 300 ms after the first character, 15 at a time (MSG-S-050, MSG-R-070, MSG-R-071, MSG-R-396, MSG-R-448)', async ({
    page,
  }) => {
    const asked: URLSearchParams[] = [];
    page.on('request', (r) => r.url().includes('/api/contacts?') && asked.push(new URL(r.url()).searchParams));
    await openNew(page);
    await page.locator('#release-to').pressSequentially('sum', { delay: 50 });
    await page.getByRole('option', { name: /intake@summit-ortho/ }).click();
    await expect(page.locator('.cp-tag')).toContainText('intake@summit-ortho');
    expect(asked.map((q) => [q.get('search'), q.get('pageStart'), q.get('pageSize')])).toEqual([['sum', '1', '15']]);
    await page.locator('#release-to').fill('s');
    await expect.poll(() => asked.at(-1)!.get('search')).toBe('s');
  });

  test('without a draft at first; the first file saves one before it is asked about (MSG-S-022, MSG-R-086, MSG-R-087, MSG-R-090, MSG-R-212, MSG-R-232, MSG-R-233, MSG-R-088, MSG-R-445, MSG-T-007, MSG-T-008, MSG-T-009, MSG-T-010, MSG-T-011, MSG-T-012, MSG-T-060)', async ({
    page,
  }) => {
    const saves: string[] = [];
    page.on('request', (r) => r.method() === 'PUT' && saves.push(new URL(r.url()).pathname));
    await openNew(page);
    expect(saves).toEqual([]);
    await page.getByRole('button', { name: 'Attach with details' }).click();
    const box = attachDialog(page);
    await expect(box.getByRole('heading', { name: 'Attach a new file' })).toBeVisible();
    expect(saves).toEqual(['/api/messages']);
    for (const name of ['Document type', 'Confidentiality']) await expect(box.getByRole('combobox', { name })).toBeVisible();
    expect(await box.getByRole('radio').evaluateAll((all) => all.map((r) => r.getAttribute('value')))).toEqual([
      'message',
      'today',
      'selected',
    ]);
    for (const name of ['Original File Date', "Today's Date", 'Select a Date'])
      await expect(box.getByRole('radio', { name, exact: true })).toBeVisible();
    await expect(field(page, 'Notes')).toHaveAttribute('maxlength', '255');
    await expect(box.getByText('Characters remaining: 255')).toBeVisible();
    await box.getByRole('radio', { name: 'Select a Date' }).check();
    await expect(box.getByRole('textbox', { name: 'Document date' })).toHaveValue('');
    await expect(box.getByRole('textbox', { name: 'Document date' })).toBeFocused();
    await box.getByRole('textbox', { name: 'Document date' }).fill('01/01/2099');
    await choose(page, TEXT);
    await pick(page, 'Confidentiality', 'Normal');
    await box.getByRole('button', { name: 'Attach', exact: true }).click();
    await expect(box.getByText('Document Date must be equal or less than today.')).toBeVisible();
    await box.getByRole('button', { name: 'Cancel' }).click();
    await expect(box).toBeHidden();
    await page.getByRole('button', { name: 'Discard' }).click();
    await dialog(page, 'Discard this release?').getByRole('button', { name: 'Discard' }).click();
    await expect(toast(page, 'The draft was deleted successfully.')).toBeVisible();
  });

  test('the first review of a new release saves its draft (MSG-R-234, MSG-R-235)', async ({ page, request }) => {
    const saves: string[] = [];
    page.on('request', (r) => r.method() === 'PUT' && saves.push(new URL(r.url()).pathname));
    await openNew(page);
    await select(page, '#release-releaseType', 'Referral');
    await select(page, '#release-from', FROM);
    await page.locator('#release-to').fill(SUMMIT);
    await page.keyboard.press('Enter');
    for (const [name, value] of [
      ['First name', 'Bridget'],
      ['Last name', 'Halloran'],
      ['Birth date', '07/02/1979'],
    ] as const)
      await field(page, name).fill(value);
    await pick(page, 'Gender', 'Female');
    expect(saves).toEqual([]);
    const created = page.waitForResponse((r) => r.request().method() === 'PUT' && r.url().endsWith('/api/messages'));
    await review(page).click();
    const { id } = (await (await created).json()) as { id: string };
    await dialog(page, 'Review and send').getByRole('button', { name: 'Cancel' }).click();
    // From then on the same draft is saved.
    await field(page, 'Subject').fill('Right knee');
    await review(page).click();
    await expect(dialog(page, 'Review and send')).toBeVisible();
    expect(saves).toEqual(['/api/messages', `/api/messages/${id}`]);
    await discard(request, id);
  });

  test('a file over 20 MB or without an extension is refused (MSG-R-277, MSG-R-279, MSG-R-444, MSG-T-057, MSG-T-059)', async ({ page }) => {
    await openNew(page);
    await page.getByRole('button', { name: 'Attach with details' }).click();
    await chooseSize(attachDialog(page), 'Large.pdf', 20_971_521);
    await expect(attachDialog(page).getByText('Your attachment exceeds the maximum (20MB) allowed size.')).toBeVisible();
    await chooseSize(attachDialog(page), 'Exact.pdf', 20_971_520);
    await expect(attachDialog(page).getByText('Exact.pdf')).toBeVisible();
    await expect(attachDialog(page).getByText('Your attachment exceeds the maximum (20MB) allowed size.')).toBeHidden();
    await choose(page, { name: 'README', mimeType: '', buffer: Buffer.from('x') });
    await expect(attachDialog(page).getByText('Your attachment file type is not supported.')).toBeVisible();
    await page.keyboard.press('Escape');
  });

  test('files come by drag and drop, show in the preview, and go after a question (MSG-S-041, MSG-S-053, MSG-R-077, MSG-R-250, MSG-R-251, MSG-R-420, MSG-R-439, MSG-T-095, MSG-T-118)', async ({
    page,
    request,
  }) => {
    const id = await readyDraft(request, { files: [pdf('First.pdf')] });
    await openDraft(page, id);
    const data = await page.evaluateHandle(() => {
      const transfer = new DataTransfer();
      transfer.items.add(new File(['Right knee pain.'], 'Dropped.txt', { type: 'text/plain' }));
      return transfer;
    });
    await page.locator('.rel-files').dispatchEvent('drop', { dataTransfer: data });
    await page.getByRole('button', { name: /^Dropped\.txt/ }).click();
    await expect(page.locator('.rel-preview .react-pdf__Page canvas').first()).toBeVisible();
    await page.getByRole('button', { name: 'Remove Dropped.txt' }).click();
    const box = dialog(page, 'Delete Attachment');
    await expect(box).toContainText('Dropped.txt');
    await box.getByRole('button', { name: 'OK', exact: true }).click();
    await expect(toast(page, 'Attachment has been deleted.')).toBeVisible();
    await expect(page.locator('.rel-att')).toHaveCount(1);
    await expect(page.locator('.rel-att[data-on]')).toContainText('First.pdf');
    await discard(request, id);
  });

  test('an upload that fails is told with the name of the file, a refused type with its reason, and tried again (MSG-R-250, MSG-R-392, MSG-R-411, MSG-R-412, MSG-R-151, MSG-R-152, MSG-T-083, MSG-T-084)', async ({
    page,
    request,
  }) => {
    const id = await readyDraft(request);
    await openDraft(page, id);
    await page.evaluate(() => {
      window.XMLHttpRequest = class extends XMLHttpRequest {
        override send(body?: XMLHttpRequestBodyInit | null) {
          const entries = [...(body as FormData).entries()].map(([k, v]) => [k, typeof v === 'string' ? v : v.name]);
          (window as unknown as { sentForm: object }).sentForm = Object.fromEntries(entries) as object;
          super.send(body);
        }
      };
    });
    const uploads = new RegExp(`/api/messages/${id}/attachments$`);
    await refuse(page, 'POST', uploads, 500);
    await attach(page, TEXT);
    await expect(page.getByText("An error occurred while uploading 'Visit note.txt'.", { exact: true })).toBeVisible();
    await page.unroute(uploads);
    await refuse(page, 'POST', uploads, 422, { modelState: { file: ['FileType is not supported for upload'] } });
    await page.getByRole('button', { name: 'Try again: Visit note.txt' }).click();
    await expect(page.getByText("An error occurred while uploading 'Visit note.txt'. Unsupported file type.")).toBeVisible();
    await page.unroute(uploads);
    await page.getByRole('button', { name: 'Try again: Visit note.txt' }).click();
    await expect(page.getByRole('button', { name: 'Edit Visit note.txt' })).toBeVisible();
    expect(await page.evaluate(() => (window as unknown as { sentForm: Record<string, string> }).sentForm)).toMatchObject({
      convert: 'true',
      usePriorityQueue: 'true',
      file: 'Visit note.txt',
    });
    await discard(request, id);
  });

  test('the review waits for a file that is on its way', async ({ page, request }) => {
    const id = await readyDraft(request);
    afterwards(() => apiOf(request, 'dana').forget(id));
    await openDraft(page, id);
    const arrive = await hold(page, /\/attachments/);
    await attach(page, TEXT);
    await review(page).click();
    await expect(review(page)).toHaveAttribute('data-loading', 'true');
    arrive();
    await expect(dialog(page, 'Review and send').getByRole('table', { name: 'Attachments' })).toContainText('Visit note.txt');
    await expect(errors(page)).toHaveCount(0);
  });

  test('a clinical document brings its confidentiality and its patient, and asks before it overwrites (MSG-S-043, MSG-R-182, MSG-R-219, MSG-R-220, MSG-R-280, MSG-R-281)', async ({
    page,
    request,
  }) => {
    const id = await readyDraft(request);
    await openDraft(page, id);
    await page.getByRole('button', { name: 'Attach with details' }).click();
    await choose(page, ccda({ code: 'R' }));
    await expect(attachDialog(page).getByRole('combobox', { name: 'Confidentiality' })).toBeDisabled();
    await attachDialog(page).getByRole('button', { name: 'Attach', exact: true }).click();
    const box = dialog(page, 'Overwrite patient details?');
    await expect(box.getByRole('row', { name: /Last name/ })).toContainText('Castellanos');
    await expect(box.getByRole('row', { name: /Birth date/ })).toContainText('04/17/1988');
    await box.getByRole('button', { name: 'Keep mine' }).click();
    await expect(field(page, 'Last name')).toHaveValue(PATIENT.lastName);
    // Nothing of the other patient is left.
    await expect(field(page, 'Patient ID')).toHaveValue('');
    await field(page, 'Last name').fill('Brandt');
    await expect(box).toBeHidden();
    await expect(page.getByRole('button', { name: 'Remove Summary of care.xml' })).toBeVisible();
    await expect(page.getByRole('button', { name: 'Edit Summary of care.xml' })).toHaveCount(0);
    const saved = await apiOf(request, 'dana').get<{ attachments: { attachmentMeta: { confidentiality: string } }[] }>(
      `/api/messages/${id}`,
    );
    expect(saved.attachments[0]!.attachmentMeta.confidentiality).toBe('Restricted');
    await discard(request, id);
  });

  test('a clinical document fills a form without a patient, which can then be corrected, and overwrites another one whole (MSG-R-219)', async ({
    page,
  }) => {
    await openNew(page);
    await attach(page, ccda(), true);
    await expect(field(page, 'Last name')).toHaveValue('Castellanos');
    await expect(field(page, 'Patient ID')).toHaveValue('LFM-77');
    const box = dialog(page, 'Overwrite patient details?');
    await field(page, 'First name').fill('Matteo');
    await field(page, 'Patient ID').fill('LFM-78');
    await field(page, 'Telephone').fill('7405550111');
    await expect(box).toBeHidden();
    await attach(page, { ...ccda({ first: 'Nora' }), name: 'Another.xml' }, true);
    await expect(box.getByRole('row', { name: /First name/ })).toContainText('Nora');
    await expect(box.getByRole('row', { name: /Patient ID/ })).toContainText('LFM-77');
    await expect(box.getByRole('row', { name: /Telephone/ })).toContainText('none');
    await box.getByRole('button', { name: 'Overwrite' }).click();
    await expect(field(page, 'First name')).toHaveValue('Nora');
    await expect(field(page, 'Patient ID')).toHaveValue('LFM-77');
    await expect(field(page, 'Telephone')).toHaveValue('');
    await page.getByRole('button', { name: 'Discard' }).click();
    await dialog(page, 'Discard this release?').getByRole('button', { name: 'Discard' }).click();
    await expect(toast(page, 'The draft was deleted successfully.')).toBeVisible();
  });

  test('each of two clinical documents that name another patient asks, one after the other (MSG-R-219)', async ({ page }) => {
    await openNew(page);
    await field(page, 'First name').fill('Matteo');
    await page.getByRole('button', { name: 'Attach with details' }).click();
    await choose(page, { ...ccda({ first: 'Nora' }), name: 'Nora.xml' }, { ...ccda({ first: 'Ida' }), name: 'Ida.xml' });
    await attachDialog(page).getByRole('button', { name: 'Attach', exact: true }).click();
    const box = dialog(page, 'Overwrite patient details?');
    // Both are read at once.
    const first = (await box.getByText(/^(Nora|Ida)\.xml$/).textContent()) === 'Nora.xml' ? 'Nora' : 'Ida';
    const second = first === 'Nora' ? 'Ida' : 'Nora';
    await box.getByRole('button', { name: 'Overwrite' }).click();
    await expect(box).toContainText(`${second}.xml`);
    await expect(box.getByRole('row', { name: /First name/ })).toContainText(`${first}${second}`);
    await expect(box.getByRole('button', { name: 'Keep mine' })).toBeFocused();
    await box.getByRole('button', { name: 'Keep mine' }).click();
    await expect(box).toBeHidden();
    await expect(field(page, 'First name')).toHaveValue(first);
    await page.getByRole('button', { name: 'Discard' }).click();
    await dialog(page, 'Discard this release?').getByRole('button', { name: 'Discard' }).click();
    await expect(toast(page, 'The draft was deleted successfully.')).toBeVisible();
  });

  test('the patient has all fields, the visit among them; a wrong date or telephone number is told when its field is left (MSG-S-034, MSG-R-118, MSG-R-144, MSG-R-294, MSG-R-331, MSG-R-332)', async ({
    page,
    request,
  }) => {
    const id = await readyDraft(request);
    await openDraft(page, id);
    await field(page, 'Birth date').fill('13/45/1979');
    await page.keyboard.press('Tab');
    await expect(page.getByText('Please enter a valid value for this field.')).toBeVisible();
    await field(page, 'Birth date').fill('070279');
    await page.keyboard.press('Tab');
    await expect(page.getByText('Please enter a valid value for this field.')).toBeHidden();
    await field(page, 'Telephone').fill('8005550142');
    await expect(page.getByText('Please enter a valid value for this field.')).toBeHidden();
    await page.keyboard.press('Tab');
    await expect(page.getByText('Please enter a valid value for this field.')).toBeVisible();
    await field(page, 'Telephone').fill('5550100142');
    await expect(field(page, 'Telephone')).toHaveValue('(555) 010-0142');
    await page.keyboard.press('Tab');
    await expect(page.getByText('Please enter a valid value for this field.')).toBeHidden();
    await page.getByRole('button', { name: 'Middle name, address and visit' }).click();
    for (const name of ['First name', 'Middle name', 'Last name', 'Patient ID', 'Street address', 'Unit', 'City', 'Visit ID'])
      await expect(field(page, name)).not.toHaveAttribute('maxlength');
    await field(page, 'City').fill('x'.repeat(36));
    await expect(page.getByText('At most 35 characters; these are 36.')).toBeVisible();
    await field(page, 'City').fill('');
    await field(page, 'Visit ID').fill('V-1182');
    await field(page, 'Visit date').fill('13/45/2026');
    await page.keyboard.press('Tab');
    // What is wrong stays in view.
    await page.getByRole('button', { name: 'Middle name, address and visit' }).click();
    await expect(page.getByText('Please enter a valid value for this field.')).toBeVisible();
    await field(page, 'Visit date').fill('11/19/2026');
    await pick(page, 'State', 'Ohio');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect(page.getByText(/^Draft saved at/)).toBeVisible();
    const saved = await apiOf(request, 'dana').get<{ patient: object }>(`/api/messages/${id}`);
    expect(saved.patient).toMatchObject({
      visitId: 'V-1182',
      visitDate: '2026-11-19',
      state: 'OH',
      birthDate: '1979-07-02',
      gender: 'F',
      telephone: '5550100142',
    });
    await page.reload();
    await expect(field(page, 'Visit ID')).toHaveValue('V-1182');
    await discard(request, id);
  });

  test('a draft that cannot be saved says which field of its patient is wrong (MSG-R-341)', async ({ page, request }) => {
    const id = await readyDraft(request);
    await openDraft(page, id);
    const save = page.getByRole('button', { name: 'Save', exact: true });
    await field(page, 'Telephone').fill('555010');
    await save.click();
    await expect(errors(page).getByRole('listitem')).toHaveText('Telephone: Please enter a valid value for this field.');
    await field(page, 'Telephone').fill('5550100142');
    await field(page, 'Birth date').fill('13/45/1979');
    await save.click();
    await expect(errors(page).getByRole('listitem')).toHaveText('Birth date: Please enter a valid value for this field.');
    await field(page, 'Birth date').fill('07/02/1979');
    await save.click();
    await expect(page.getByText(/^Draft saved at/)).toBeVisible();
    await discard(request, id);
  });

  test('missing patient fields are named one by one (MSG-R-288, MSG-R-289, MSG-R-290, MSG-R-292, MSG-T-062, MSG-T-063, MSG-T-064, MSG-T-065)', async ({
    page,
    request,
  }) => {
    const id = await readyDraft(request, { patient: { middleName: 'A', gender: 'F' } });
    await openDraft(page, id);
    await review(page).click();
    for (const text of ['"Patient First Name" is required.', '"Patient Last Name" is required.', '"Patient Birth Date" is required'])
      await expect(errors(page).getByText(text, { exact: true })).toBeVisible();
    await field(page, 'First name').fill('Bridget');
    await page.getByRole('button', { name: 'Clear patient' }).click();
    await field(page, 'First name').fill('Bridget');
    await review(page).click();
    await expect(errors(page).getByText('"Patient Gender" is required', { exact: true })).toBeVisible();
    await discard(request, id);
  });

  test('what the server refuses while saving stands one per line, the recipients first (MSG-R-408, MSG-R-409, MSG-T-049)', async ({
    page,
    request,
  }) => {
    const id = await readyDraft(request);
    await openDraft(page, id);
    await refuse(page, 'PUT', new RegExp(`/api/messages/${id}$`), 422, {
      modelState: { subject: ['The subject is too long.'], toAddress: ['The address is blocked.'] },
    });
    await field(page, 'Subject').fill('Changed');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect(errors(page).getByText('Please fix the following errors before sending.')).toBeVisible();
    await expect(errors(page).getByRole('listitem')).toHaveText(['The address is blocked.', 'The subject is too long.']);
    await page.unroute(new RegExp(`/api/messages/${id}$`));
    await refuse(page, 'PUT', new RegExp(`/api/messages/${id}$`), 400, { message: 'First line.\nSecond line.' });
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect(errors(page).getByText('Second line.')).toBeVisible();
    await expect(errors(page).getByRole('listitem')).toHaveText(['First line.', 'Second line.']);
    await discard(request, id);
  });

  test('a draft that cannot be discarded is told (MSG-R-410, MSG-T-082)', async ({ page, request }) => {
    const id = await readyDraft(request);
    await openDraft(page, id);
    await refuse(page, 'DELETE', new RegExp(`/api/messages/${id}$`), 500);
    await page.getByRole('button', { name: 'Discard' }).click();
    await dialog(page, 'Discard this release?').getByRole('button', { name: 'Discard' }).click();
    await expect(toast(page, 'The message was not discarded successfully.')).toBeVisible();
    await expect(page).toHaveURL(new RegExp(id));
    await discard(request, id);
  });

  test('leaving asks to save, discard or stay; discarding deletes the draft (MSG-S-023, MSG-R-091, MSG-R-240, MSG-T-013, MSG-T-014)', async ({
    page,
  }) => {
    const id = await beginWithFile(page);
    await page.getByRole('link', { name: /^Intake( \d|$)/ }).click();
    const question = dialog(page, 'Save this draft?');
    for (const name of ['Keep editing', 'Discard', 'Save']) await expect(question.getByRole('button', { name, exact: true })).toBeVisible();
    await question.getByRole('button', { name: 'Close' }).click();
    await expect(page).toHaveURL(/\/release\/new/);
    await page.getByRole('link', { name: /^Intake( \d|$)/ }).click();
    const deleted = page.waitForRequest((r) => r.method() === 'DELETE' && r.url().endsWith(`/api/messages/${id}`));
    await question.getByRole('button', { name: 'Discard' }).click();
    await deleted;
    await expect(page).toHaveURL(/\/intake$/);
  });

  test('two windows that change one draft do not save over each other unseen', async ({ page, request }) => {
    const id = await readyDraft(request, {});
    const other = await page.context().newPage();
    const subject = (window: Page) => window.getByRole('textbox', { name: 'Subject' });
    const save = (window: Page) => window.getByRole('button', { name: 'Save', exact: true }).click();
    const isSaved = (window: Page) => expect(window.getByText(/^Draft saved at/)).toBeVisible();
    for (const window of [page, other]) await openDraft(window, id);
    await subject(page).fill('First words');
    await save(page);
    await isSaved(page);

    await subject(other).fill('Second words');
    await save(other);
    await expect(other.getByText('This draft has changed.')).toBeVisible();
    await other.getByRole('button', { name: 'Load their version' }).click();
    await expect(subject(other)).toHaveValue('First words');

    await subject(other).fill('Third words');
    await save(other);
    await isSaved(other);
    await subject(page).fill('Fourth words');
    await review(page).click();
    await expect(page.getByText('This draft has changed.')).toBeVisible();
    await page.getByRole('button', { name: 'Keep mine' }).click();
    await expect(page.getByText('This draft has changed.')).toBeHidden();
    await save(page);
    await isSaved(page);
    await other.reload();
    await expect(subject(other)).toHaveValue('Fourth words');
  });

  test('a draft that was begun in a window and changed in another opens as it is now', async ({ page, request }) => {
    const id = await beginWithFile(page);
    const other = await page.context().newPage();
    await openDraft(other, id);
    await other.getByRole('textbox', { name: 'Subject' }).fill('Written elsewhere');
    await other.getByRole('button', { name: 'Save', exact: true }).click();
    await expect(other.getByText(/^Draft saved at/)).toBeVisible();

    await page.getByRole('textbox', { name: 'Subject' }).fill('Written here');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('button', { name: 'Load their version' }).click();
    await expect(page).toHaveURL(new RegExp(`/release/draft/${id}`));
    await expect(page.getByRole('textbox', { name: 'Subject' })).toHaveValue('Written elsewhere');
    await discard(request, id);
  });

  test('a failed send shows the words of the server, or its own; a second try leads back to where it began (MSG-S-021, MSG-R-085, MSG-R-237, MSG-R-407, MSG-T-004, MSG-T-005, MSG-T-081)', async ({
    page,
    request,
  }) => {
    const id = await readyDraft(request, { files: [pdf()] });
    await page.goto(`/release/draft/${id}?returnUrl=%2Frelease%3Fview%3Dsent`);
    await review(page).click();
    const box = dialog(page, 'Review and send');
    const table = box.getByRole('table', { name: 'Attachments' });
    await expect(table).toContainText('01/15/2026');
    await expect(table).toContainText('1 k');
    await expect(box.getByLabel('Comments')).toBeVisible();
    await expect(box.getByLabel('Reason for disclosure')).toBeVisible();
    await expect(box.getByRole('button', { name: 'Cancel' })).toBeVisible();
    const send = new RegExp(`/api/messages/${id}/send$`);
    await refuse(page, 'POST', send, 500);
    await box.getByRole('button', { name: 'Confirm' }).click();
    await expect(box.getByText('There was an error sending your message. Please contact support.')).toBeVisible();
    await page.unroute(send);
    await refuse(page, 'POST', send, 400, { message: 'The mail gateway is being changed.' });
    await box.getByRole('button', { name: 'Confirm' }).click();
    await expect(box.getByText('The mail gateway is being changed.')).toBeVisible();
    await page.unroute(send);
    await box.getByRole('button', { name: 'Confirm' }).click();
    await expect(toast(page, 'The message was sent successfully.')).toBeVisible();
    await expect(page).toHaveURL(/\/release\?view=sent$/);
  });

  test('a conflict on sending is said in the review as long as the message is a draft, and what was typed there stays (MSG-R-085, MSG-R-237)', async ({
    page,
    request,
  }) => {
    const id = await readyDraft(request, { files: [pdf()] });
    await openDraft(page, id);
    await review(page).click();
    const box = dialog(page, 'Review and send');
    await box.getByLabel('Reason for disclosure').fill('Referred for surgery');
    const send = new RegExp(`/api/messages/${id}/send$`);
    const words = 'The identity of your organization is not verified yet.';
    await refuse(page, 'POST', send, 409, { message: words });
    await box.getByRole('button', { name: 'Confirm' }).click();
    await expect(box.getByText(words)).toBeVisible();
    await expect(box.getByLabel('Reason for disclosure')).toHaveValue('Referred for surgery');
    // Sent from elsewhere.
    await apiOf(request, 'dana').post(`/api/messages/${id}/send`);
    await page.unroute(send);
    await refuse(page, 'POST', send, 409, { message: 'This message has been sent already.' });
    await box.getByRole('button', { name: 'Confirm' }).click();
    await expect(toast(page, 'This message has been sent already.')).toBeVisible();
    await expect(page).toHaveURL(new RegExp(`/release/${id}$`));
    await expect(page.getByText('sent by')).toBeVisible();
  });

  test('a draft under the address of a sent release opens to be written on (MSG-S-015)', async ({ page, request }) => {
    const id = await readyDraft(request, { files: [] });
    await page.goto(`/release/${id}`);
    await expect(page).toHaveURL(new RegExp(`/release/draft/${id}$`));
    await expect(page.getByRole('heading', { name: 'Draft', exact: true })).toBeVisible();
  });

  test('responses to a fax can be tracked with the feature only (MSG-R-084, MSG-T-006)', async ({ page, request }) => {
    const fax = { to: ['+17405550120'], files: [pdf()] };
    const id = await readyDraft(request, fax);
    const box = dialog(page, 'Review and send');
    for (const on of [false, true]) {
      if (on) await switchFeature(request, 'AutomatedCarePlans', true);
      await openDraft(page, id);
      await expect(page.locator('.cp-tag')).toContainText('740-555-0120');
      await review(page).click();
      await expect(box).toBeVisible();
      await expect(box.getByLabel('Track Fax Responses')).toBeVisible({ visible: on });
      await box.getByRole('button', { name: 'Cancel' }).click();
    }
  });

  test('a draft with many recipients shows three of them in the list (MSG-S-069, MSG-R-465, MSG-R-467, MSG-R-253, MSG-T-123)', async ({
    page,
    request,
  }) => {
    const subject = unique('To many');
    const to = ['a', 'b', 'c', 'd', 'e'].map((n) => `${n}@summit-ortho.direct.carepost.example`);
    const id = await apiOf(request, 'dana').draft({ subject, to });
    await page.goto('/release?view=drafts');
    await page.getByLabel('Search releases').fill(subject.split(' ').at(-1)!);
    const row = page.getByRole('row', { name: new RegExp(subject) });
    await expect(row).toContainText(`${to.slice(0, 3).join('; ')} +2 more`);
    await expect(row).toContainText('Saved');
    await page.getByRole('button', { name: `Actions for ${subject}` }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await dialog(page, 'Delete Message').getByRole('button', { name: 'OK', exact: true }).click();
    await expect(toast(page, 'The draft was deleted successfully.')).toBeVisible();
    await expect(row).toHaveCount(0);
    expect(id).toBeTruthy();
  });
});
