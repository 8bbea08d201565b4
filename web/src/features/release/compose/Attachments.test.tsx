import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import type { UploadAnswer } from '@/api/upload';
import type { Message } from '@/api/types';
import { answer } from '@/test/answers';
import { attachment } from '@/test/fixtures';
import { click, errorLines, field, form, openRelease, ready, releaseServer } from '@/test/release';

const send = vi.hoisted(() => vi.fn<(path: string, form: FormData) => Promise<UploadAnswer>>());
vi.mock('@/api/upload', async (upload) => ({ ...(await upload<object>()), sendForm: send }));

const NOTE = new File(['Right knee pain.'], 'Visit note.txt');
const SUMMARY = new File(['<ClinicalDocument><confidentialityCode code="R"/></ClinicalDocument>'], 'Summary.xml');
const TEO = { firstName: 'Teo', lastName: 'Castellanos', birthDate: '1988-04-17', patientIds: [] };

let uploaded: Record<string, string>[] = [];
let drafts: Map<string, Message>;
const accepts = async (form: FormData) => {
  const { name } = form.get('file') as File;
  const meta = JSON.parse(form.get('attachmentMeta') as string) as object;
  const body = attachment({ id: name, fileName: name, isStructured: name.endsWith('.xml'), attachmentMeta: meta });
  const draft = drafts.get('m1')!;
  drafts.set('m1', { ...draft, attachments: [...draft.attachments, body] });
  return { status: 201, retryAfter: false, body };
};
const refuses = (status: number, body: object) => () => Promise.resolve({ status, retryAfter: false, body });
beforeEach(() => {
  uploaded = [];
  send.mockReset().mockImplementation(async (path, form) => {
    const entries = [...form.entries()].map(([name, value]) => [name, typeof value === 'string' ? value : value.name]);
    uploaded.push({ path, ...(Object.fromEntries(entries) as object) });
    return accepts(form);
  });
});

const open = async (over: Parameters<typeof ready>[0] = {}, patients: Record<string, object> = {}) => {
  const server = releaseServer({ messages: [ready(over)] });
  drafts = server.kept;
  answer('get', '/api/messages/{id}/attachments/{attachmentId}/patient', ({ path }) => (patients[path.attachmentId!] ?? {}) as never);
  openRelease('/release/draft/m1');
  await form();
  return server;
};
const files = () => screen.getByRole('region', { name: 'Attachments' });
const drop = (...dropped: File[]) => fireEvent.drop(files(), { dataTransfer: { files: dropped, types: ['Files'] } });
const attached = (name: string) => screen.findByRole('button', { name: `Remove ${name}` });
const dialog = (name: string) => screen.findByRole('dialog', { name });
const inside = (box: HTMLElement, name: string) => within(box).getByRole('button', { name });
const isGone = (name: string) => waitFor(() => expect(screen.queryByRole('dialog', { name })).toBeNull());

test('a file that is dropped is on its way, then among the attachments, and is sent to be converted at once (MSG-R-077, MSG-R-250, MSG-R-251, MSG-R-392, MSG-R-151, MSG-R-152)', async () => {
  await open();
  let arrive = () => {};
  const until = new Promise<void>((done) => (arrive = done));
  const upload = send.getMockImplementation()!;
  send.mockImplementation((path, form) => until.then(() => upload(path, form)));
  drop(NOTE);
  expect(await screen.findByRole('progressbar', { name: 'Uploading Visit note.txt' })).toBeInTheDocument();
  arrive();
  await attached('Visit note.txt');
  expect(screen.queryByRole('progressbar')).toBeNull();
  expect(uploaded).toEqual([
    {
      path: '/api/messages/m1/attachments',
      attachmentMeta: expect.stringMatching(/"confidentiality":"Normal".*"convert":true,"usePriorityQueue":true/) as string,
      file: 'Visit note.txt',
    },
  ]);
});

test('the review waits for a file that is on its way', async () => {
  const { saved } = await open();
  let arrive = () => {};
  send.mockImplementation((_, form) => new Promise((done) => (arrive = () => void accepts(form).then(done))));
  drop(NOTE);
  await screen.findByRole('progressbar');
  await click('Review and send');
  expect(screen.getByRole('button', { name: 'Review and send' })).toHaveAttribute('data-loading', 'true');
  expect(saved).toHaveLength(0);
  arrive();
  expect(await dialog('Review and send')).toHaveTextContent('Visit note.txt');
  expect(errorLines()).toEqual([]);
});

test('an upload that fails is told with the name of the file, a type that is refused with its reason, and tried again (MSG-R-411, MSG-R-412, MSG-T-083, MSG-T-084)', async () => {
  await open();
  send.mockImplementationOnce(refuses(500, {}));
  send.mockImplementationOnce(refuses(422, { modelState: { file: ['FileType is not supported for upload'] } }));
  drop(NOTE);
  const failed = await within(files()).findByRole('alert');
  expect(failed).toHaveTextContent(/^An error occurred while uploading 'Visit note\.txt'\.$/);
  await click('Try again: Visit note.txt');
  expect(await screen.findByText("An error occurred while uploading 'Visit note.txt'. Unsupported file type.")).toBeInTheDocument();
  await click('Try again: Visit note.txt');
  expect(await screen.findByRole('button', { name: 'Edit Visit note.txt' })).toBeInTheDocument();
});

test('a file that cannot be shown says so, and goes after a question (MSG-S-041, MSG-R-420, MSG-R-439, MSG-T-095, MSG-T-118)', async () => {
  const broken = attachment({ id: 'a2', fileName: 'Broken.pdf', previewAvailable: 'Failed', previewError: 'The file is damaged.' });
  await open({ attachments: [attachment(), broken] });
  const removed = answer('delete', '/api/messages/{id}/attachments/{attachmentId}', null as never);
  expect(screen.getByRole('alert')).toHaveTextContent('The file is damaged.');
  await click('Remove Broken.pdf');
  const box = await dialog('Delete Attachment');
  expect(box).toHaveTextContent('Broken.pdf');
  expect(removed).toHaveLength(0);
  await userEvent.click(inside(box, 'OK'));
  expect(await screen.findByText('Attachment has been deleted.')).toBeInTheDocument();
  expect(removed.map(({ path }) => path.attachmentId)).toEqual(['a2']);
  expect(screen.queryByRole('alert')).toBeNull();
  expect(within(files()).getByRole('button', { name: /^Visit note\.pdf/ })).toBeInTheDocument();
});

test('a clinical document states its details itself, and its patient is asked about before it replaces another (MSG-S-043, MSG-R-182, MSG-R-219, MSG-R-220, MSG-R-280, MSG-R-281)', async () => {
  await open({}, { 'Summary.xml': TEO });
  await click('Attach and describe…');
  const attach = await dialog('Attach a new file');
  fireEvent.change(attach.querySelector('input[type=file]')!, { target: { files: [SUMMARY] } });
  expect(within(attach).getByRole('combobox', { name: 'Confidentiality' })).toBeDisabled();
  await userEvent.click(inside(attach, 'Attach'));
  const box = await dialog('Overwrite patient details?');
  expect(uploaded[0]!.attachmentMeta).toContain('"confidentiality":"Restricted"');
  expect(within(box).getByRole('row', { name: /Last name/ })).toHaveTextContent('HalloranCastellanos');
  expect(within(box).getByRole('row', { name: /Birth date/ })).toHaveTextContent('07/02/197904/17/1988');
  await userEvent.click(inside(box, 'Keep mine'));
  await isGone('Overwrite patient details?');
  expect(field('Last name')).toHaveValue('Halloran');
  await attached('Summary.xml');
  expect(screen.queryByRole('button', { name: 'Edit Summary.xml' })).toBeNull();
});

test('a clinical document fills a form without a patient, and one about somebody else replaces all of it (MSG-R-219)', async () => {
  await open(
    { patient: null },
    { 'Summary.xml': { ...TEO, patientId: 'LFM-77' }, 'Another.xml': { ...TEO, firstName: 'Nora', patientId: 'LFM-77' } },
  );
  drop(SUMMARY);
  await waitFor(() => expect(field('Last name')).toHaveValue('Castellanos'));
  expect(screen.queryByRole('dialog')).toBeNull();
  fireEvent.change(field('Patient ID'), { target: { value: 'LFM-78' } });
  await userEvent.type(field('Telephone'), '7405550111');
  drop(new File(['<x/>'], 'Another.xml'));
  const box = await dialog('Overwrite patient details?');
  expect(within(box).getByRole('row', { name: /First name/ })).toHaveTextContent('TeoNora');
  expect(within(box).getByRole('row', { name: /Patient ID/ })).toHaveTextContent('LFM-78LFM-77');
  expect(within(box).getByRole('row', { name: /Telephone/ })).toHaveTextContent(/none$/);
  await userEvent.click(inside(box, 'Overwrite'));
  await isGone('Overwrite patient details?');
  expect(['First name', 'Patient ID', 'Telephone'].map((name) => (field(name) as HTMLInputElement).value)).toEqual(['Nora', 'LFM-77', '']);
});

test('each of two clinical documents that name another patient asks, one after the other (MSG-R-219)', async () => {
  await open({}, { 'Nora.xml': { ...TEO, firstName: 'Nora' }, 'Ida.xml': { ...TEO, firstName: 'Ida' } });
  drop(new File(['<x/>'], 'Nora.xml'), new File(['<x/>'], 'Ida.xml'));
  const box = () => dialog('Overwrite patient details?');
  await waitFor(async () => expect(await box()).toHaveTextContent('Nora.xml'));
  await attached('Ida.xml');
  await userEvent.click(inside(await box(), 'Overwrite'));
  await waitFor(async () => expect(await box()).toHaveTextContent('Ida.xml'));
  expect(within(await box()).getByRole('row', { name: /First name/ })).toHaveTextContent('NoraIda');
  await waitFor(async () => expect(inside(await box(), 'Keep mine')).toHaveFocus());
  await userEvent.click(inside(await box(), 'Keep mine'));
  await isGone('Overwrite patient details?');
  expect(field('First name')).toHaveValue('Nora');
});
