import { useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import { setToken } from '@/api/token';
import type { Attachment, Message, Patient } from '@/api/types';
import { messageQuery } from '@/domain/messaging/api';
import { answer, refusal } from '@/test/answers';
import { attachment, message } from '@/test/fixtures';
import { person } from '@/test/intake';
import { renderScreen } from '@/test/render';
import { MessageView } from './MessageView';

const present = vi.hoisted(() => ({ now: [] as { userId: string; name: string }[] }));
const features = vi.hoisted(() => new Set<string>());
vi.mock('@/app/session', () => ({
  useProfile: () => person(),
  useFeature: (name: string) => features.has(name),
  useHasRole: () => false,
}));
vi.mock('@/domain/messaging/presence', () => ({ usePresence: () => present.now, Presence: () => null }));
vi.mock('@/domain/messaging/viewer/Viewer', () => ({
  Viewer: ({ attachment: shown }: { attachment: Attachment }) => <p>Pages of {shown.fileName}</p>,
  isHeld: () => false,
}));

const settings = { exportMode: 'save_as', exportOption: 'standard', gaps: 'confirm', nonPatientExport: true };
const HALLORAN = { firstName: 'Bridget', lastName: 'Halloran', birthDate: '1979-07-02', gender: 'F' };
const NEXT = '/intake/next';

/** The page of the message, from which the next one opens. */
function Page({ gaps }: { gaps: string }) {
  const { data } = useQuery(messageQuery('m1'));
  const { history } = useRouter();
  const next = () => history.push(NEXT);
  return data ? (
    <MessageView
      message={data}
      settings={{ ...settings, gaps } as never}
      place={null}
      onDone={next}
      onBack={() => history.push('/intake')}
    />
  ) : null;
}

/** A server that has the message, and the screen on which it is open. */
async function open(over: Partial<Message> = {}, { gaps = 'confirm' } = {}) {
  let now: Message = message({ direction: 'Intake', isDraft: false, status: 'Received', subject: 'Results', patient: HALLORAN, ...over });
  const put = (change: Partial<Message>) => {
    now = { ...now, ...change };
    return now as never;
  };
  answer('get', '/api/messages/{id}', () => now as never);
  const processed = answer('put', '/api/messages/{id}/process', ({ body }) =>
    put({ isProcessed: body.isProcessed, status: body.isProcessed ? 'Processed' : 'Received' }),
  );
  const router = renderScreen(<Page gaps={gaps} />, '/intake/m1');
  await screen.findByText('Results', { selector: 'h1' });
  const isAt = (path: string) => waitFor(() => expect(router.state.location.pathname).toBe(path));
  return { processed, router, isAt, put };
}
const press = (keys: string) => userEvent.keyboard(keys);
const click = async (name: string | RegExp) => userEvent.click(await screen.findByRole('button', { name }));
const told = async (words: string) => expect(await screen.findByText(words)).toBeInTheDocument();

beforeEach(() => {
  setToken({ accessToken: 'a', expiresIn: 900 });
  present.now = [];
  features.clear();
  answer('get', '/api/messages/{id}/duplicates', { items: [] });
  answer('get', '/api/messages/{id}/proposals', {} as never);
  answer('get', '/api/messages/{id}/signers', { items: [], documents: '', files: [], consent: '', signedPdfs: [] });
  answer('get', '/api/users/current', { ...person(), userPreferences: {} } as never);
  answer('get', '/api/users/assignable', { items: [{ id: 'p', name: 'Priya Nandakumar' }] } as never);
  answer('get', '/api/documenttypes', { items: [] } as never);
  answer('post', '/api/patients/_match', { items: [] } as never);
  answer('get', '/api/messages/{id}/patient/differences', { items: [] });
  answer('put', '/api/messages/{id}/attachments/{attachmentId}/read', null as never);
});

test('one key files the message and opens the next; z brings it back as it was', async () => {
  const { processed, isAt } = await open();
  await press('e');
  await isAt(NEXT);
  await told('The message has been successfully processed. Filed under Halloran, Bridget.');
  await press('z');
  await isAt('/intake/m1');
  expect(processed.map((p) => p.body.isProcessed)).toEqual([true, false]);
});

test('what the server refuses to file comes back, with its reason and nothing to undo', async () => {
  const { isAt } = await open();
  refusal('put', '/api/messages/{id}/process', 409, { message: 'The message cannot be filed just now.' });
  await press('e');
  await told('The message cannot be filed just now.');
  await isAt('/intake/m1');
  expect(screen.getByRole('button', { name: 'File and next' })).toBeInTheDocument();
  await press('z');
  await told('There is nothing to undo.');
});

test('a message that a colleague works on is filed once it is taken over', async () => {
  present.now = [{ userId: 'p', name: 'Priya Nandakumar' }];
  const { processed, put } = await open({ heldBy: { id: 'p', name: 'Priya Nandakumar' } as never });
  await press('e');
  await told('Priya Nandakumar currently has this message open.');
  expect(processed).toEqual([]);
  answer('put', '/api/messages/{id}/takeover', () => put({ heldBy: { id: 'me', name: 'Dana Whitfield' } as never }));
  await click('Take over from Priya Nandakumar');
  await told('You have taken over this message.');
  await press('e');
  await waitFor(() => expect(processed).toHaveLength(1));
});

test('a colleague who opened the message meanwhile is named by the server, and the person decides', async () => {
  await open();
  const words = 'Priya Nandakumar has this message open.';
  const refused = refusal('put', '/api/messages/{id}/process', 409, { message: words, modelState: { takesOver: [words] } });
  await press('e');
  await told(words);
  await click('Take over and file');
  await waitFor(() => expect(refused.map((r) => (r.body as { takesOver?: boolean }).takesOver)).toEqual([undefined, true]));
});

test('a message without patient or document type is filed only after a question, which begins with the safe choice', async () => {
  const { processed } = await open({ patient: {}, attachments: [attachment()] });
  await press('e');
  const question = await screen.findByRole('dialog', { name: 'Check before filing' });
  await waitFor(() => expect(within(question).getByRole('button', { name: 'Go back' })).toHaveFocus());
  expect(question).toHaveTextContent('There is no patient yet');
  expect(question).toHaveTextContent('No document type is chosen for Visit note.pdf.');
  await click('Go back');
  expect(processed).toEqual([]);
  await press('e');
  await click('File anyway');
  await waitFor(() => expect(processed.map((p) => p.body)).toEqual([{ isProcessed: true, processType: null, acceptsGaps: true }]));
});

/** A document that is being read until `end` gives the result. */
function beingRead() {
  features.add('PatientExtractionAPI');
  let end = (_patient: Patient | null) => {};
  const read = new Promise<Patient | null>((done) => (end = done));
  answer('put', '/api/messages/{id}/attachments/{attachmentId}/patient/extract', { status: 'Processing', marks: [] });
  answer('get', '/api/messages/{id}/attachments/{attachmentId}/patient/extract', async () => {
    const patient = await read;
    return { status: 'Completed' as const, patient, marks: [] };
  });
  return end;
}
const asked = async () => within(await screen.findByRole('dialog', { name: 'Check before filing' }));
const typed = { documentType: 'Consultation', documentDate: '2026-01-15', confidentiality: 'Normal' } as const;

test('a document that is still being read is waited for, and who is found is confirmed in the same question', async () => {
  const end = beingRead();
  const { processed, put } = await open({ patient: {}, attachments: [attachment({ attachmentMeta: typed })] });
  const saved = answer('put', '/api/messages/{id}/patient', ({ body }) => put({ patient: body as never, patientVersion: 1 }));
  await press('e');
  const question = await asked();
  expect(question.getByRole('status')).toHaveTextContent('Still reading the document.');
  expect(question.queryByRole('button', { name: 'File anyway' })).toBeNull();
  end(HALLORAN);
  await userEvent.click(await question.findByRole('button', { name: 'Confirm and file' }, { timeout: 5000 }));
  expect(question.queryByRole('status')).toBeNull();
  await waitFor(() => expect(processed).toHaveLength(1));
  expect(saved.at(-1)!.body).toMatchObject({ firstName: 'Bridget', lastName: 'Halloran' });
});

test('where nothing was found in the end, the message is filed as without reading', async () => {
  const end = beingRead();
  const { processed } = await open({ patient: {}, attachments: [attachment({ attachmentMeta: typed })] });
  await press('e');
  const question = await asked();
  expect(question.getByRole('button', { name: 'File without waiting' })).toBeInTheDocument();
  end(null);
  await question.findByRole('button', { name: 'File anyway' }, { timeout: 5000 });
  expect(processed).toEqual([]);
  await click('File anyway');
  await waitFor(() => expect(processed).toHaveLength(1));
  await told('The message has been successfully processed.');
});

test('whoever does not wait for the reading files on purpose', async () => {
  beingRead();
  const { processed } = await open({ patient: {}, attachments: [attachment({ attachmentMeta: typed })] });
  await press('e');
  await click('File without waiting');
  await waitFor(() => expect(processed.map((p) => p.body.acceptsGaps)).toEqual([true]));
  await told('The message has been successfully processed.');
});

test.each([
  [1, 'Document type'],
  [2, 'Document type of Visit note.pdf'],
  [3, 'Document type of Visit note.pdf and 1 other file'],
])('the question for a document type names the file where a message has several: %j', async (count, title) => {
  const files = [
    attachment({ id: 'f1' }),
    attachment({ id: 'f2', fileName: 'Lab.pdf', attachmentMeta: typed }),
    attachment({ id: 'f3', fileName: 'Image.pdf' }),
  ];
  await open({ attachments: files.slice(0, count) });
  await press('t');
  expect(await screen.findByRole('dialog', { name: title })).toBeInTheDocument();
});

test('where the organization files by patient and type alone, gaps cannot be confirmed', async () => {
  const { processed } = await open({ patient: {} }, { gaps: 'refuse' });
  await press('e');
  await screen.findByRole('dialog', { name: 'Check before filing' });
  expect(screen.queryByRole('button', { name: /^File anyway/ })).toBeNull();
  expect(processed).toEqual([]);
});

test('while what was typed is not saved, filing says so and leaving asks', async () => {
  const { processed, router, isAt, put } = await open();
  refusal('put', '/api/messages/{id}/patient', 503);
  fireEvent.change(screen.getByRole('textbox', { name: 'Last name' }), { target: { value: 'Tenney' } });
  await press('{Control>}{Enter}{/Control}');
  await told('Your changes could not be saved yet. Please try again.');
  expect(screen.getByText('Not saved yet, trying again')).toBeInTheDocument();
  expect(processed).toEqual([]);
  await click('Back to Intake');
  const question = within(await screen.findByRole('dialog', { name: 'Leave without saving?' }));
  await userEvent.click(question.getByRole('button', { name: 'Keep editing' }));
  expect(router.state.location.pathname).toBe('/intake/m1');
  const saved = answer('put', '/api/messages/{id}/patient', ({ body }) => put({ patient: body as never, patientVersion: 1 }));
  await click('Back to Intake');
  // The pending save succeeds now, so no question is asked.
  await isAt('/intake');
  expect(saved.map((s) => s.body)).toEqual([expect.objectContaining({ lastName: 'Tenney', version: 0 })]);
});

test('a deleted message makes room for the next, and comes back by z', async () => {
  const { isAt } = await open();
  answer('delete', '/api/messages/{id}', { message: 'Message has been deleted' } as never);
  const acts = answer('post', '/api/messages/bulk', { done: ['m1'], refused: [] });
  await press('#');
  await click('OK');
  await isAt(NEXT);
  await told('Message has been deleted');
  await press('z');
  await isAt('/intake/m1');
  expect(acts.map((a) => a.body)).toEqual([{ act: 'restore', ids: ['m1'] }]);
});

test('a note names a colleague, and whoever wrote it can take it away', async () => {
  const { put } = await open();
  const note = { id: 'n', author: { id: 'me', name: 'Dana Whitfield' }, mentioned: [], createdAt: '2026-11-20T10:00:00Z', isOwn: true };
  const added = answer('post', '/api/messages/{id}/notes', ({ body }) => put({ notes: [{ ...note, text: body.text } as never] }));
  const removed = answer('delete', '/api/messages/{id}/notes/{noteId}', () => put({ notes: [] }));
  await press('n');
  await press('Call back, @pri');
  await userEvent.click(await screen.findByRole('option', { name: 'Priya Nandakumar' }));
  await press('{Control>}{Enter}{/Control}');
  const notes = within(screen.getByRole('region', { name: 'Notes' }));
  expect(await notes.findByRole('listitem')).toHaveTextContent('Call back, @Priya Nandakumar');
  expect(added.map((a) => a.body)).toEqual([{ text: 'Call back, @Priya Nandakumar', mentioned: ['p'] }]);
  expect(notes.getByRole('textbox')).toHaveValue('');
  await userEvent.click(notes.getByRole('button', { name: 'Delete this note' }));
  await waitFor(() => expect(notes.queryByRole('listitem')).toBeNull());
  expect(removed.map((r) => r.path.noteId)).toEqual(['n']);
});

test('a file that came before is named and compared side by side', async () => {
  const twin = { id: 'm0', likeness: 'SameFile', subject: 'Results, first', status: 'Processed', createdDate: '2026-11-19T10:00:00Z' };
  answer('get', '/api/messages/{id}/duplicates', { items: [{ ...twin, fromAddress: '', fromName: '' } as never] });
  await open({ attachments: [attachment()] });
  const hint = within(await screen.findByRole('region', { name: 'Possible duplicate' }));
  expect(hint.getByRole('link', { name: 'Results, first' })).toHaveAttribute('href', '/intake/m0');
  answer('get', '/api/messages/{id}', message({ id: 'm0', attachments: [attachment({ fileName: 'First.pdf' })] }) as never);
  await userEvent.click(hint.getByRole('button', { name: 'Compare' }));
  const both = within(await screen.findByRole('dialog', { name: 'The same file' }));
  expect(await both.findByText('Pages of First.pdf')).toBeInTheDocument();
  expect(both.getByText('Pages of Visit note.pdf')).toBeInTheDocument();
});

test('a document that names somebody else is filed only after both were shown', async () => {
  const { processed } = await open();
  answer('get', '/api/messages/{id}/patient/differences', {
    items: [
      {
        attachmentId: 'f1',
        fileName: 'Fax.pdf',
        patient: { firstName: 'Brigid', lastName: 'Hallman', birthDate: '1997-07-02', patientIds: [] },
        fields: ['name', 'birthDate'],
      },
    ],
  });
  await press('e');
  const question = await screen.findByRole('dialog', { name: 'The document and the patient differ' });
  for (const words of ['Name and birth date are not the same.', 'Hallman, Brigid', '07/02/1997', 'Halloran, Bridget', '07/02/1979'])
    expect(question).toHaveTextContent(words);
  expect(within(question).getByRole('button', { name: 'Change patient' })).toHaveFocus();
  await click('Cancel');
  expect(processed).toEqual([]);
  await press('e');
  await click('File under Halloran anyway');
  await waitFor(() =>
    expect(processed.map((p) => p.body)).toEqual([{ isProcessed: true, processType: null, acceptsGaps: false, acceptsPatient: true }]),
  );
});
