import type { Page } from '@playwright/test';
import {
  apiOf,
  ccda,
  change,
  dialog,
  type Draft,
  exportSettings,
  features,
  field,
  type NewFile,
  PATIENT,
  hold,
  pdf,
  pick,
  receive,
  refuse,
  SUMMIT,
  test,
  TEXT,
  toast,
  unique,
} from './ledger';
import { expect, signIn } from './support';

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
/** A large file made in the page itself, so that it need not travel there. */
const chooseSize = (page: Page, name: string, bytes: number) =>
  attachDialog(page)
    .locator('input[type=file]')
    .evaluate(
      (input: HTMLInputElement, file) => {
        const transfer = new DataTransfer();
        transfer.items.add(new File([new Uint8Array(file.bytes)], file.name, { type: 'application/pdf' }));
        input.files = transfer.files;
        input.dispatchEvent(new Event('change', { bubbles: true }));
      },
      { name, bytes },
    );
const attach = async (page: Page, file: NewFile, structured = false) => {
  await page.getByRole('button', { name: /Drop files here/ }).click();
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
  test.beforeEach(async ({ page }) => signIn(page, 'dana'));

  test('the screen has all it needs (MSG-S-014, MSG-S-048, MSG-S-049, MSG-S-053, MSG-S-055, MSG-T-044, MSG-R-068, MSG-R-074, MSG-R-076, MSG-R-078, MSG-R-136, MSG-T-041 to MSG-T-043)', async ({
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

  test('addresses are suggested 300 ms after the first character, 15 at most (MSG-S-050, MSG-R-070 to MSG-R-072, MSG-R-396, MSG-R-448)', async ({
    page,
  }) => {
    const asked: URL[] = [];
    await page.route('**/api/contacts?*', async (route) => {
      asked.push(new URL(route.request().url()));
      const items = Array.from({ length: 20 }, (_, n) => ({
        name: `Person ${n}`,
        company: 'Somewhere',
        value: `person${n}@x.direct.example`,
      }));
      await route.fulfill({ json: { items, totalCount: 20 } });
    });
    await openNew(page);
    await page.locator('#release-to').pressSequentially('per', { delay: 50 });
    await expect(page.getByRole('option', { name: /person/ })).toHaveCount(15);
    expect(asked.map((u) => u.searchParams.get('search'))).toEqual(['per']);
    expect(asked[0]!.search).toContain('pageStart=1&pageSize=15');
    await page.locator('#release-to').fill('p');
    await expect.poll(() => asked.at(-1)!.searchParams.get('search')).toBe('p');
    await page.getByRole('option', { name: /person3@/ }).click();
    await expect(page.locator('.cp-tag')).toContainText('person3@x.direct.example');
  });

  test('without a draft at first; the first file saves one before it is asked about (MSG-S-022, MSG-R-086, MSG-R-087, MSG-R-090, MSG-R-212, MSG-R-232, MSG-R-233, MSG-R-088, MSG-R-445, MSG-T-007 to MSG-T-012, MSG-T-060)', async ({
    page,
  }) => {
    const saves: string[] = [];
    page.on('request', (r) => r.method() === 'PUT' && saves.push(new URL(r.url()).pathname));
    await openNew(page);
    expect(saves).toEqual([]);
    await page.getByRole('button', { name: /Drop files here/ }).click();
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
    await page.getByRole('button', { name: /Drop files here/ }).click();
    await chooseSize(page, 'Large.pdf', 20_971_521);
    await expect(attachDialog(page).getByText('Your attachment exceeds the maximum (20MB) allowed size.')).toBeVisible();
    await chooseSize(page, 'Exact.pdf', 20_971_520);
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
    await expect(attachDialog(page).getByText('Dropped.txt')).toBeVisible();
    await pick(page, 'Confidentiality', 'Restricted');
    await attachDialog(page).getByRole('button', { name: 'Attach', exact: true }).click();
    await page.getByRole('button', { name: /^Dropped\.txt/ }).click();
    await expect(page.locator('.rel-preview .react-pdf__Page canvas').first()).toBeVisible();
    await page.getByRole('button', { name: 'Remove Dropped.txt' }).click();
    const box = dialog(page, 'Delete Attachment');
    await expect(box).toContainText('Dropped.txt');
    await box.getByRole('button', { name: 'OK' }).click();
    await expect(toast(page, 'Attachment has been deleted.')).toBeVisible();
    await expect(page.locator('.rel-att')).toHaveCount(1);
    await expect(page.locator('.rel-att[data-on]')).toContainText('First.pdf');
    await discard(request, id);
  });

  test('an upload that fails is told with the name of the file, a refused type with its reason, and tried again (MSG-R-250, MSG-R-392, MSG-R-411, MSG-R-412, MSG-R-151, MSG-R-152, MSG-T-083 to MSG-T-085)', async ({
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

  test('a clinical document brings its confidentiality and its patient, and asks before it overwrites (MSG-S-043, MSG-R-182, MSG-R-219, MSG-R-220, MSG-R-280, MSG-R-281)', async ({
    page,
    request,
  }) => {
    const id = await readyDraft(request);
    await openDraft(page, id);
    await page.getByRole('button', { name: /Drop files here/ }).click();
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
    await page.getByRole('button', { name: /Drop files here/ }).click();
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

  test('the patient has all fields, the visit among them; a wrong date or telephone number is told when its field is left (MSG-S-034, MSG-R-118, MSG-R-144, MSG-R-147, MSG-R-294, MSG-R-295, MSG-R-331, MSG-R-332)', async ({
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
      await expect(field(page, name)).toHaveAttribute('maxlength', '35');
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

  test('missing patient fields are named one by one (MSG-R-288 to MSG-R-290, MSG-R-292, MSG-T-062 to MSG-T-065)', async ({
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

  test('attachments without their details keep the message back (MSG-R-266, MSG-R-304, MSG-R-306, MSG-T-050, MSG-T-067, MSG-T-068)', async ({
    page,
    request,
  }) => {
    const id = await readyDraft(request, { files: [pdf()] });
    await change<{ attachments: object[] }>(page, `/api/messages/${id}`, (m) => ({
      ...m,
      attachments: m.attachments.map((a) => ({ ...a, attachmentMeta: {} })),
    }));
    await openDraft(page, id);
    await review(page).click();
    for (const text of [
      "An attachment's information is invalid.",
      '"Document Date" is required for file Report.pdf',
      '"Confidentiality" is required for file Report.pdf',
    ])
      await expect(errors(page).getByText(text, { exact: true })).toBeVisible();
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
    expect(await errors(page).getByRole('listitem').allTextContents()).toEqual(['The address is blocked.', 'The subject is too long.']);
    await page.unroute(new RegExp(`/api/messages/${id}$`));
    await refuse(page, 'PUT', new RegExp(`/api/messages/${id}$`), 400, { message: 'First line.\nSecond line.' });
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect(errors(page).getByText('Second line.')).toBeVisible();
    expect(await errors(page).getByRole('listitem').allTextContents()).toEqual(['First line.', 'Second line.']);
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
    await page.getByRole('link', { name: 'Intake' }).click();
    const question = dialog(page, 'Save this draft?');
    for (const name of ['Keep editing', 'Discard', 'Save']) await expect(question.getByRole('button', { name, exact: true })).toBeVisible();
    await question.getByRole('button', { name: 'Close' }).click();
    await expect(page).toHaveURL(/\/release\/new/);
    await page.getByRole('link', { name: 'Intake' }).click();
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
    const id = await readyDraft(request, { files: [pdf()] });
    // Fax numbers become recipients with the fax provider; the question stands already.
    await change<{ toAddresses: string[] }>(page, `/api/messages/${id}`, (m) => ({ ...m, toAddresses: ['5550100188'] }));
    await page.route('**/api/directory/validate?*', (route) =>
      route.fulfill({ json: { items: [{ address: '5550100188', isValid: true, message: null }] } }),
    );
    for (const on of [false, true]) {
      await features(page, { AutomatedCarePlans: on });
      await openDraft(page, id);
      await expect(page.locator('.cp-tag')).toContainText('555-010-0188');
      await review(page).click();
      await expect(dialog(page, 'Review and send')).toBeVisible();
      await expect(dialog(page, 'Review and send').getByLabel('Track Fax Responses')).toBeVisible({ visible: on });
      await dialog(page, 'Review and send').getByRole('button', { name: 'Cancel' }).click();
      await page.unroute((u) => u.pathname === '/api/features');
    }
    await discard(request, id);
  });

  test('what a fax carries follows the settings of the practice (MSG-R-140, MSG-R-474)', async ({ page }) => {
    const box = (name: string) => page.getByRole('checkbox', { name, exact: true });
    for (const suppress of [false, true]) {
      await exportSettings(page, { suppressDefaultFaxCoverSheet: suppress, suppressFaxMetadataPages: !suppress });
      await openNew(page);
      await page.locator('#release-to').fill('5550100188');
      await page.keyboard.press('Enter');
      await expect(box('Cover page')).toBeChecked({ checked: !suppress });
      await expect(box('Message text')).toBeChecked({ checked: !suppress });
      await expect(box('Attachment descriptions')).toBeChecked({ checked: suppress });
      await page.unroute((u) => u.pathname === '/api/settings/interoperability');
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
    await dialog(page, 'Delete Message').getByRole('button', { name: 'OK' }).click();
    await expect(toast(page, 'The draft was deleted successfully.')).toBeVisible();
    await expect(row).toHaveCount(0);
    expect(id).toBeTruthy();
  });
});

test.describe('after sending', () => {
  test('each recipient has its own course, and one that cannot be reached says why (MSG-S-016, MSG-S-020, MSG-R-111 to MSG-R-113, MSG-R-117, MSG-R-172, MSG-R-173)', async ({
    page,
    request,
  }) => {
    const nobody = 'nobody@summit-ortho.direct.carepost.example';
    const subject = unique('Two recipients');
    const id = await apiOf(request, 'dana').send({
      subject,
      to: [SUMMIT, nobody],
      files: [pdf()],
      more: { reasonForDisclosure: 'Treatment' },
    });
    await signIn(page, 'dana');
    await page.goto(`/release/${id}`);
    const recipient = (address: string) => page.locator('.rel-recipient', { hasText: address });
    await expect(recipient(SUMMIT).getByText('Delivered')).toBeVisible({ timeout: 45_000 });
    await expect(recipient(nobody).getByText('Failed', { exact: true })).toBeVisible({ timeout: 45_000 });
    await expect(recipient(nobody).getByRole('alert')).not.toBeEmpty();
    for (const name of ['Forward', 'Delete', 'Activity']) await expect(page.getByRole('button', { name, exact: true })).toBeVisible();
    // The setting of the practice does not allow the download.
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await expect(page.getByRole('menuitem')).toHaveText(['Send Delivery Summary to Intake']);
    await page.keyboard.press('Escape');
    await expect(page.getByText('Treatment', { exact: true })).toBeVisible();
    await expect(page.getByText('Halloran, Bridget, 07/02/1979')).toBeVisible();
    await expect(page.getByRole('textbox', { name: 'First name' })).toHaveCount(0);
    await expect(page.locator('input[type=file]')).toHaveCount(0);
    await page.getByRole('button', { name: 'Forward', exact: true }).click();
    await expect(page).toHaveURL(new RegExp(`/release/forward/${id}`));
    await expect(dialog(page, 'Include the attachments?')).toBeVisible();
  });

  test('what became of a message is put into the Intake as a summary, or downloaded where the practice offers it (SES-S-056, SES-R-196 to SES-R-202, SES-T-040, SES-T-041, SES-T-077, SES-T-078, SES-C-048, SES-C-049, MSG-R-114, MSG-R-115, MSG-R-117)', async ({
    page,
    request,
  }) => {
    const subject = unique('Summarized');
    const id = await apiOf(request, 'dana').send({ subject, to: [SUMMIT], files: [pdf()] });
    await exportSettings(page, { deliverySummaryEnableDownload: true });
    await signIn(page, 'dana');
    await page.goto(`/release/${id}`);
    await expect(page.locator('.rel-recipient', { hasText: 'Summit Orthopedics' }).getByText('Delivered')).toBeVisible({ timeout: 45_000 });
    const item = (name: string) => page.getByRole('menuitem', { name, exact: true });
    const more = page.getByRole('button', { name: 'More', exact: true });
    await more.click();
    await item('Send Delivery Summary to Intake').click();
    const asked = dialog(page, 'Send Delivery Summary to Intake');
    await asked.getByRole('button', { name: 'Cancel', exact: true }).click();
    await expect(asked).toHaveCount(0);

    const call = /\/deliverysummary\/sendtointake$/;
    await refuse(page, 'POST', call, 500);
    await more.click();
    await item('Send Delivery Summary to Intake').click();
    await asked.getByRole('button', { name: 'Confirm', exact: true }).click();
    await expect(toast(page, 'The system encountered an error while generating the delivery summary.')).toBeVisible();
    await expect(asked).toBeVisible();
    await page.unroute(call);
    const answer = await hold(page, call);
    const sent = page.waitForRequest(call);
    const confirm = asked.getByRole('button', { name: 'Confirm', exact: true });
    await confirm.click();
    expect((await sent).postData()).toBeNull();
    await expect(confirm).toHaveAttribute('data-loading', 'true');
    answer();
    await expect(toast(page, 'Your Delivery Summary is being generated. To view the document, go to My Intake.')).toBeVisible();
    await expect(asked).toHaveCount(0);
    await apiOf(request, 'dana').received(`Delivery summary: ${subject}`);

    await page.route(/\/deliverysummary$/, (route) => route.fulfill({ contentType: 'application/pdf', body: '%PDF-1.4' }));
    const saved = page.waitForEvent('download');
    await more.click();
    await item('Download Delivery Summary').click();
    expect((await saved).suggestedFilename()).toBe('Delivery summary.pdf');
    await refuse(page, 'GET', /\/deliverysummary$/, 500);
    await more.click();
    await item('Download Delivery Summary').click();
    await expect(toast(page, 'The system encountered an error while generating the delivery summary.').last()).toBeVisible();
  });

  test('a forward without files goes on without a question; Remove leaves them behind (MSG-S-024, MSG-R-079, MSG-R-092, MSG-R-167, MSG-T-001, MSG-T-015, MSG-T-016)', async ({
    page,
    request,
  }) => {
    const subject = unique('Pass on');
    const bare = await receive(request, { subject: `${subject} bare` });
    const full = await receive(request, { subject: `${subject} full`, files: [pdf()] });
    await signIn(page, 'dana');
    for (const id of [bare, full]) {
      await page.goto(`/release/forward/${id}`);
      if (id === full) {
        await expect(dialog(page, 'Include the attachments?').getByRole('button', { name: 'Include' })).toBeVisible();
        await dialog(page, 'Include the attachments?').getByRole('button', { name: 'Remove' }).click();
      }
      await expect(page).toHaveURL(/\/release\/forward\/draft\//);
      await expect(page.getByRole('heading', { name: 'Forward', exact: true })).toBeVisible();
      await expect(field(page, 'Subject')).toHaveValue(`FW: ${subject} ${id === bare ? 'bare' : 'full'}`);
      await expect(page.locator('.rel-att')).toHaveCount(0);
      await discard(request, page.url().split('/').pop()!);
    }
  });

  test('a reply first learns what can be looked up, takes the files along when told, and is sent as a reply (MSG-S-019, MSG-R-067, MSG-R-168, MSG-R-236, MSG-R-242)', async ({
    page,
    request,
  }) => {
    const id = await receive(request, { subject: unique('Please answer'), files: [pdf()] });
    await signIn(page, 'dana');
    const release = await hold(page, '**/api/integrations/capabilities');
    await page.goto(`/intake/${id}`);
    await page.getByRole('button', { name: 'Reply', exact: true }).click();
    await expect(page.getByRole('status', { name: 'Loading' })).toBeVisible();
    await expect(dialog(page, 'Include the attachments?')).toBeHidden();
    release();
    await dialog(page, 'Include the attachments?').getByRole('button', { name: 'Include' }).click();
    await expect(page.getByRole('heading', { name: 'Reply', exact: true })).toBeVisible();
    await expect(page.locator('.rel-att')).toHaveCount(1);
    await review(page).click();
    const answered = page.waitForRequest((r) => r.method() === 'POST' && r.url().endsWith('/reply'));
    const box = dialog(page, 'Review and send');
    // What came along has to be described like any other file.
    await expect(errors(page).getByText('"Confidentiality" is required for file Report.pdf')).toBeVisible();
    await page.getByRole('button', { name: 'Edit Report.pdf' }).click();
    await pick(page, 'Confidentiality', 'Normal');
    await page.getByRole('radio', { name: "Today's Date" }).check();
    await dialog(page, 'Edit attachment').getByRole('button', { name: 'Save' }).click();
    await expect(dialog(page, 'Edit attachment')).toBeHidden();
    await review(page).click();
    await expect(box.getByLabel('Comments')).toHaveCount(0);
    await box.getByRole('button', { name: 'Confirm' }).click();
    await answered;
    await expect(toast(page, 'The message was sent successfully.')).toBeVisible();
    await expect(page).toHaveURL(new RegExp(`/intake/${id}$`));
  });
});

test('release screens are for administrators and users: others go to their own start page (MSG-R-061 to MSG-R-066)', async ({ page }) => {
  await signIn(page, 'ops');
  const id = '01a1f937-7f00-728f-9852-d099034f4dae';
  for (const path of ['draft/', '', 'forward/', 'forward/draft/', 'reply/']) {
    await page.goto(`/release/${path}${id}`);
    await expect(page).toHaveURL(/\/admin\/dashboard\/messaging$/);
  }
});

test('the home list opens also with its parameter, and paths ignore case and a slash at the end (MSG-S-013, MSG-R-038 to MSG-R-040, MSG-R-058, SES-R-024 to SES-R-026)', async ({
  page,
}) => {
  await signIn(page, 'dana');
  await page.goto('/Release/?isLeftNav=true');
  await expect(page.getByRole('heading', { level: 1, name: 'Release' })).toBeVisible();
  await page.goto('/RELEASE/New/');
  await expect(page.getByRole('heading', { name: 'New release' })).toBeVisible();
});

test.describe('a plan that lacks functions', () => {
  const lacking = (page: Page, ...resources: string[]) =>
    change<object>(page, '/api/users/profiledata', (profile) => ({
      ...profile,
      uiResources: Object.fromEntries(resources.map((r) => [r, ['plan-upgrade-prompt']])),
    }));

  test('asks a user to ask for an upgrade, and keeps the screen in view (MSG-S-045, MSG-R-017, MSG-R-021, MSG-R-051, MSG-R-052, MSG-R-057, MSG-R-363, MSG-R-367 to MSG-R-369, SES-R-057, SES-R-058, SES-R-137 to SES-R-139, SES-R-142, MSG-T-045, MSG-T-046, MSG-T-097)', async ({
    page,
  }) => {
    await lacking(page, 'releaseRoute');
    await page.route('**/api/subscriptionplans/upgraderequest', (route) => route.fulfill({ json: {} }));
    await signIn(page, 'priya');
    await page.getByRole('link', { name: 'Release' }).click();
    const box = dialog(page, 'Ask for an upgrade');
    await expect(box).toContainText('Only an administrator of your organization can change the plan.');
    await expect(page).toHaveURL(/\/intake$/);
    await box.getByRole('button', { name: 'Not Now' }).click();
    await expect(box).toBeHidden();
    await page.getByRole('link', { name: 'Release' }).click();
    await box.getByRole('button', { name: 'Send Request' }).click();
    await expect(toast(page, 'Your plan upgrade request has been sent.')).toBeVisible();
    await expect(box).toBeHidden();
  });

  test('offers an administrator the upgrade, and leads to the start page on the first load (MSG-S-044, MSG-R-020, MSG-R-053, MSG-R-362, SES-R-059, SES-R-141)', async ({
    page,
  }) => {
    await lacking(page, 'releaseRoute');
    await signIn(page, 'dana');
    await page.goto('/release');
    await expect(dialog(page, 'Upgrade your plan')).toBeVisible();
    await expect(page).toHaveURL(/\/account\/dashboard$/);
  });

  test('keeps replies and forwards closed (MSG-R-015, MSG-R-016, MSG-R-365)', async ({ page, request }) => {
    const id = await receive(request, { subject: unique('Cannot be answered') });
    await lacking(page, 'reply', 'forward');
    await signIn(page, 'priya');
    await page.goto(`/intake/${id}`);
    for (const name of ['Reply', 'Forward']) {
      await page.getByRole('button', { name, exact: true }).click();
      await expect(dialog(page, 'Ask for an upgrade')).toBeVisible();
      await expect(page).toHaveURL(new RegExp(`/intake/${id}$`));
      await dialog(page, 'Ask for an upgrade').getByRole('button', { name: 'Not Now' }).click();
    }
  });

  test('keeps the send button closed for Direct addresses (MSG-R-271, MSG-R-273, MSG-R-364)', async ({ page, request }) => {
    const id = await readyDraft(request, { files: [pdf()] });
    await lacking(page, 'send');
    await signIn(page, 'dana');
    await openDraft(page, id);
    await review(page).click();
    await expect(dialog(page, 'Upgrade your plan')).toBeVisible();
    await expect(dialog(page, 'Review and send')).toHaveCount(0);
    await discard(request, id);
  });
});
