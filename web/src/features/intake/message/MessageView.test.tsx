import { useQuery } from '@tanstack/react-query';
import { cleanup, configure, fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse, http } from 'msw';
import { Suspense } from 'react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { setToken } from '@/api/token';
import type { Attachment, Message, Patient } from '@/api/types';
import { messageQuery } from '@/domain/messaging/api';
import { choose, dialog, fill, press } from '@/test/acts';
import { answer, refusal } from '@/test/answers';
import { attachment, message } from '@/test/fixtures';
import { person } from '@/test/intake';
import { renderScreen } from '@/test/render';
import { server } from '@/test/setup';
import { MessageView } from './MessageView';

// Visibility checks are slow on a whole screen.
configure({ defaultHidden: true });
// jsdom lacks it: the lists of closed fields count as hidden.
Object.assign(Element.prototype, { checkVisibility: () => false });

const hub = vi.hoisted(() => ({ sent: [] as object[] }));
vi.mock('@/shared/hubs', async (original) => ({
  ...(await original<object>()),
  connectHub: (name: string, { onOpen }: { onOpen?: () => void }) => {
    queueMicrotask(() => onOpen?.());
    return { send: (frame: object) => hub.sent.push({ name, ...frame }), close: () => {} };
  },
  useHubEvents: () => {},
}));
vi.mock('@/domain/messaging/viewer/PdfView', () => ({ PdfView: ({ name }: { name: string }) => <p>Pages of {name}</p> }));

const SETTINGS = { exportMode: 'save_as', exportOption: 'standard', exportDirectoryType: '', nonPatientExport: true } as never;
const MARISOL = { firstName: 'Marisol', lastName: 'Tenney', birthDate: '1961-03-14', gender: 'F' };
const TYPED: Partial<Attachment> = {
  attachmentMeta: { documentType: 'Consultation', documentDate: '2026-01-15', confidentiality: 'Normal' },
};

const DAY = '2026-11-20T10:00:00Z';
/** The message on the server. */
let kept: Message;
const received = (over: Partial<Message>) => {
  kept = message({ direction: 'Intake', isDraft: false, status: 'Received', createdDate: DAY, messageDate: DAY, patient: {}, ...over });
};
const change = (over: Partial<Message>) => {
  kept = { ...kept, ...over };
  return kept as never;
};

function Screen({ onDone }: { onDone: () => void }) {
  const { data } = useQuery(messageQuery('m1'));
  return data ? <MessageView message={data} settings={SETTINGS} place={null} onDone={onDone} onBack={() => {}} /> : null;
}
async function open() {
  const onDone = vi.fn();
  renderScreen(
    <Suspense>
      <Screen onDone={onDone} />
    </Suspense>,
  );
  await screen.findByRole('heading', { name: 'Attachments' });
  return { onDone };
}
const field = (name: string) => screen.getByLabelText(name, { selector: 'input' });
const file = () => press('File and next');
const as = (roles: string[]) => answer('get', '/api/users/profiledata', person({ roles }) as never);
/** Saves of the patient reach the message. */
const patientSaves = () =>
  answer('put', '/api/messages/{id}/patient', ({ body }) =>
    change({ patient: { ...body, version: undefined } as Patient, patientVersion: kept.patientVersion + 1 }),
  );
const filings = () =>
  answer('put', '/api/messages/{id}/process', ({ body }) =>
    change({ isProcessed: body.isProcessed, status: body.isProcessed ? 'Processed' : 'Received' }),
  );

beforeEach(() => {
  hub.sent = [];
  setToken({ accessToken: 't', expiresIn: 900 });
  received({});
  as(['User']);
  answer('get', '/api/branding', { name: 'carepost' } as never);
  answer('get', '/api/features', { features: [] } as never);
  answer('get', '/api/users/current', { ...person(), userPreferences: {} } as never);
  answer('get', '/api/messages/{id}', () => kept as never);
  answer('put', '/api/messages/{id}/read', null as never);
  answer('put', '/api/messages/{id}/attachments/{attachmentId}/read', null as never);
  answer('get', '/api/messages/{id}/duplicates', { items: [] });
  answer('get', '/api/messages/{id}/proposals', {});
  answer('get', '/api/messages/{id}/signers', { items: [], documents: '', files: [], consent: '', signedPdfs: [] });
  answer('get', '/api/documenttypes', { items: [{ id: '1', name: 'Consultation' }], totalCount: 1 } as never);
  answer('get', '/api/users/assignable', { items: [{ id: 'p', name: 'Priya Nandakumar' }] } as never);
  answer('post', '/api/patients/_match', { items: [] });
  answer('get', '/api/messages/{id}/patient/differences', { items: [] });
  server.use(
    http.get('*/api/messages/m1/attachments/:id', () => new HttpResponse('%PDF', { headers: { 'content-type': 'application/pdf' } })),
  );
});
afterEach(() => {
  vi.restoreAllMocks();
  Object.assign(URL, { createObjectURL: undefined });
});

test('opening a message and a file reads them, and tells others as long as the message is open (SES-R-227, SES-R-351, MSG-R-391, MSG-R-405)', async () => {
  received({ isRead: false, attachments: [attachment()] });
  const messages = answer('put', '/api/messages/{id}/read', null as never);
  const files = answer('put', '/api/messages/{id}/attachments/{attachmentId}/read', null as never);
  await open();
  await waitFor(() => expect(messages.map(({ path }) => path.id)).toEqual(['m1']));
  await waitFor(() => expect(files.map(({ path }) => path.attachmentId)).toEqual(['a1']));
  expect(hub.sent).toContainEqual({ name: 'messagepresence', type: 'open', messageId: 'm1' });
  expect(hub.sent).not.toContainEqual(expect.objectContaining({ type: 'close' }));
  cleanup();
  expect(hub.sent.at(-1)).toEqual({ name: 'messagepresence', type: 'close', messageId: 'm1' });
});

test('a message without files says so, and takes none (MSG-R-174, MSG-R-427, MSG-T-103)', async () => {
  await open();
  expect(screen.getByText('No attachments added.')).toBeInTheDocument();
  expect(document.querySelector('input[type=file]')).toBeNull();
});

test('only administrators see the activity of a message (MSG-R-098)', async () => {
  const asked = answer('get', '/api/audit/{type}/{id}', { items: [], totalCount: 0, totalIsCapped: false } as never);
  await open();
  expect(screen.queryByRole('heading', { name: 'Activity' })).toBeNull();
  expect(asked).toHaveLength(0);
});

test('an administrator opens the activity of a message', async () => {
  as(['User', 'Administrator']);
  answer('get', '/api/audit/{type}/{id}', { items: [], totalCount: 0, totalIsCapped: false } as never);
  answer('get', '/api/audit/types', { items: [] } as never);
  await open();
  expect(screen.getByRole('heading', { name: 'Activity' })).toBeInTheDocument();
  await press('Show all');
  expect(await dialog('Activity')).toBeInTheDocument();
});

test('a patient has texts of up to 35 characters, one of three genders, and a state (MSG-S-034, MSG-R-145)', async () => {
  const saves = patientSaves();
  await open();
  fireEvent.change(field('Last name'), { target: { value: 'x'.repeat(36) } });
  expect(field('Last name')).toHaveAccessibleDescription('At most 35 characters; these are 36.');
  // Long text is not cut off.
  expect(field('Last name')).toHaveValue('x'.repeat(36));
  fireEvent.change(field('Last name'), { target: { value: 'x'.repeat(35) } });
  expect(field('Last name')).toBeValid();
  await userEvent.click(field('Gender'));
  expect((await screen.findAllByRole('option')).map((option) => option.textContent)).toEqual(['Female', 'Male', 'Undifferentiated']);
  await userEvent.keyboard('{Escape}');
  await choose('State', 'Armed Forces Pacific');
  await waitFor(() => expect(saves.at(-1)?.body).toMatchObject({ state: 'AP', lastName: 'x'.repeat(35) }));
  expect(await screen.findByText('Saved')).toBeInTheDocument();
});

test('an invalid birth date is refused at its field, and not saved', async () => {
  const saves = patientSaves();
  await open();
  fill('Birth date', '13452026');
  expect(field('Birth date')).toHaveAccessibleDescription('Please enter a valid value for this field.');
  expect(await screen.findByText('Not saved')).toBeInTheDocument();
  expect(saves).toHaveLength(0);
});

test('a telephone number that is not whole is told when its field is left, and holds the message back until it is (MSG-R-331, MSG-R-333, MSG-R-341, MSG-T-076)', async () => {
  received({ patient: MARISOL, attachments: [attachment(TYPED)] });
  const saves = patientSaves();
  const filed = filings();
  const { onDone } = await open();
  const telephone = () => field('Telephone');
  await userEvent.click(telephone());
  await userEvent.paste('555010');
  expect(telephone()).toHaveValue('(555) 010-');
  expect(telephone()).toBeValid();
  await file();
  expect(await screen.findByText('Telephone: Please enter a valid value for this field.')).toBeInTheDocument();
  expect(telephone()).toHaveAccessibleDescription('Please enter a valid value for this field.');
  await waitFor(() => expect(telephone()).toHaveFocus());
  expect(screen.getByText('Not saved')).toBeInTheDocument();
  await userEvent.clear(telephone());
  await userEvent.paste('5550100142');
  expect(telephone()).toHaveValue('(555) 010-0142');
  expect(saves).toHaveLength(0);
  expect(filed).toHaveLength(0);
  await file();
  await waitFor(() => expect(onDone).toHaveBeenCalled());
  expect(saves.map(({ body }) => body.telephone)).toEqual(['5550100142']);
});

test('a document of another patient asks before it overwrites, and lists the differences (MSG-S-043, MSG-R-219, MSG-R-220)', async () => {
  received({
    patient: { firstName: 'Matteo', lastName: 'Castellanos', telephone: '7405550111' },
    attachments: [attachment({ fileName: 'Summary.xml', isStructured: true, isClinicalDocument: true })],
  });
  const named = { firstName: 'Teo', lastName: 'Castellanos', birthDate: '1988-04-17', gender: 'M' };
  answer('get', '/api/messages/{id}/attachments/{attachmentId}/patient', named as never);
  const saves = patientSaves();
  await open();
  await press('From document');
  const asks = await dialog('Overwrite patient details');
  const lines = within(asks)
    .getAllByRole('term')
    .map((term) => `${term.textContent}: ${term.nextSibling?.textContent}`);
  expect(lines).toEqual(['First name: Matteo → Teo', 'Telephone: 7405550111 → none']);
  await press('Cancel', asks);
  expect(field('First name')).toHaveValue('Matteo');
  expect(saves).toHaveLength(0);
  await press('From document');
  await press('Overwrite', await dialog('Overwrite patient details'));
  await waitFor(() => expect(saves.at(-1)?.body).toMatchObject(named));
  expect(field('First name')).toHaveValue('Teo');
  expect(field('Birth date')).toHaveValue('04/17/1988');
  expect(field('Telephone')).toHaveValue('');
});

test('a structured document states its details itself', async () => {
  received({ attachments: [attachment({ ...TYPED, fileName: 'Summary.xml', isStructured: true, isClinicalDocument: true })] });
  await open();
  expect(screen.getByText('From the document')).toBeInTheDocument();
  for (const name of ['Document type', 'Confidentiality', 'Date from']) expect(field(name)).toBeDisabled();
  for (const name of ['Document date', 'Description']) expect(field(name)).toBeDisabled();
});

test('what is said about a file is saved once, with the date that is proposed for it', async () => {
  received({ attachments: [attachment({ attachmentMeta: {} })] });
  const saves = answer(
    'put',
    '/api/messages/{id}/attachments/{attachmentId}',
    ({ body }) => attachment({ attachmentMeta: { ...body.attachmentMeta, version: body.version! + 1 } }) as never,
  );
  await open();
  fill('Description', 'Second opinion');
  expect(await screen.findByText('Saved')).toBeInTheDocument();
  expect(field('Document date')).toHaveValue('11/20/2026');
  expect(saves.map(({ body }) => body)).toEqual([
    { attachmentMeta: { documentDescription: 'Second opinion', documentDateType: 'message', documentDate: '2026-11-20' }, version: 0 },
  ]);
});

test('one key takes a known patient over, and Undo gives the details back', async () => {
  received({ patient: MARISOL });
  patientSaves();
  const known = { ...MARISOL, patientId: 'LFM-20417', telephone: '5550100142' };
  answer('post', '/api/patients/_match', { items: [{ patient: known, certainty: 'Certain', percent: 98, fields: [] }] } as never);
  await open();
  expect(await screen.findByRole('list', { name: 'Known patients like Marisol Tenney' })).toBeInTheDocument();
  await userEvent.keyboard('m');
  expect(field('Patient ID')).toHaveValue('LFM-20417');
  expect(screen.queryByRole('list', { name: /^Known patients/ })).toBeNull();
  await userEvent.click(await screen.findByText('Undo'));
  await waitFor(() => expect(field('Patient ID')).toHaveValue(''));
});

test('urgent needs a reviewer, and goes with the reviewer (MSG-R-216, MSG-R-217)', async () => {
  const asked = answer('put', '/api/messages/{id}/assign', ({ body }) =>
    change({
      assignedTo: body.userId ? { id: body.userId, name: 'Priya Nandakumar' } : null,
      isUrgent: Boolean(body.urgent),
    } as Partial<Message>),
  );
  await open();
  const urgent = screen.getByRole('checkbox', { name: 'Urgent' });
  expect(urgent).toBeDisabled();
  await choose('Reviewer', 'Priya Nandakumar');
  await waitFor(() => expect(urgent).toBeEnabled());
  await userEvent.click(urgent);
  await waitFor(() => expect(urgent).toBeChecked());
  fireEvent.focus(field('Reviewer'));
  await userEvent.clear(field('Reviewer'));
  await userEvent.tab();
  await waitFor(() => expect(urgent).not.toBeChecked());
  expect(urgent).toBeDisabled();
  expect(asked.map(({ body }) => body)).toEqual([
    { userId: 'p', urgent: false },
    { userId: 'p', urgent: true },
    { userId: null, urgent: false },
  ]);
});

test('a message is shown as processed, urgent or neither; filing and reopening are told (MSG-R-254, MSG-T-093)', async () => {
  received({ patient: MARISOL, attachments: [attachment(TYPED)], isUrgent: true });
  const filed = filings();
  const { onDone } = await open();
  const head = screen.getByRole('heading', { level: 1 }).parentElement!;
  expect(head).toHaveTextContent('No subjectReceivedUrgent');
  await file();
  expect(await screen.findByText(/^The message has been successfully processed\./)).toBeInTheDocument();
  expect(onDone).toHaveBeenCalledTimes(1);
  expect(head).toHaveTextContent('No subjectProcessed');
  await press('Reopen');
  expect(await screen.findByText('The message has been successfully reopened.')).toBeInTheDocument();
  expect(head).toHaveTextContent('No subjectReceived');
  expect(filed.map(({ body }) => body.isProcessed)).toEqual([true, false]);
});

/** The names under which files are saved. */
function savedFiles() {
  const names: string[] = [];
  Object.assign(URL, { createObjectURL: () => 'blob:1', revokeObjectURL: () => {} });
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    names.push(this.download);
  });
  return names;
}
const exportAs = async (kind: string) => {
  await press('Export');
  await userEvent.click(await screen.findByRole('menuitem', { name: kind }));
};

test('a file is exported under brand, kind and time, and filing tells how the message left (MSG-R-142, MSG-R-469)', async () => {
  received({ patient: MARISOL, attachments: [attachment(TYPED)] });
  const names = savedFiles();
  const filed = filings();
  await open();
  await exportAs('Original file');
  await waitFor(() => expect(names).toEqual([expect.stringMatching(/^Carepost_native-export_\d{8}T\d{6}Z\.pdf$/)]));
  await exportAs('PDF');
  await waitFor(() => expect(names[1]).toMatch(/^Carepost_pdf-export_\d{8}T\d{6}Z\.pdf$/));
  await file();
  await waitFor(() => expect(filed.map(({ body }) => body)).toEqual([{ isProcessed: true, processType: 'PDFExport', acceptsGaps: false }]));
});

test('an export that fails says why (MSG-R-431, MSG-R-432, MSG-T-108, MSG-T-109)', async () => {
  received({ attachments: [attachment(TYPED)] });
  const names = savedFiles();
  await open();
  await screen.findByText('Pages of Visit note.pdf');
  refusal('get', '/api/messages/{id}/attachments/{attachmentId}', 500);
  await exportAs('Original file');
  expect(await screen.findByText('An error occured while exporting. Please contact support.')).toBeInTheDocument();
  refusal('get', '/api/messages/{id}/attachments/{attachmentId}', 409, { message: 'The file is being checked.' });
  await exportAs('Original file');
  expect(await screen.findByText('The file is being checked.')).toBeInTheDocument();
  Object.assign(URL, { createObjectURL: undefined });
  await exportAs('Original file');
  expect(await screen.findByText("Your browser doesn't support exporting. Please try another browser.")).toBeInTheDocument();
  expect(names).toEqual([]);
});

test('the panes move with the arrow keys within their limits, and a double click gives the width back', async () => {
  const kept = answer('put', '/api/account/preferences/screens/{name}', null as never);
  await open();
  const grip = screen.getByRole('separator', { name: 'Width of the attachments' });
  expect(grip).toHaveAttribute('aria-valuenow', '252');
  fireEvent.keyDown(grip, { key: 'ArrowRight' });
  expect(grip).toHaveAttribute('aria-valuenow', '268');
  await waitFor(() => expect(kept.at(-1)?.body).toEqual({ value: { left: 268, right: 360 } }));
  for (let n = 0; n < 12; n++) fireEvent.keyDown(grip, { key: 'ArrowRight' });
  expect(grip).toHaveAttribute('aria-valuenow', '420');
  fireEvent.doubleClick(grip);
  expect(grip).toHaveAttribute('aria-valuenow', '252');
});

test('people named by the documents and their sender are shown above the patient, with birth dates', async () => {
  received({
    patientDoubt: 'SeveralPatients',
    namedPatients: [MARISOL, { firstName: 'Ravi', lastName: 'Tamsin', birthDate: null }] as never,
  });
  await open();
  expect(await screen.findByText(/The documents belong to several patients\. Look at each document/)).toBeTruthy();
  expect(screen.getByText('Tenney, Marisol, born 03/14/1961')).toBeTruthy();
  expect(screen.getByText('Tamsin, Ravi, no birth date')).toBeTruthy();
});
