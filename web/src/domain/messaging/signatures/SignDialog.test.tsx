import { act, fireEvent, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import { setToken } from '@/api/token';
import type { SignedPdf, Signer, Signers } from '@/api/types';
import { saveFile } from '@/shared/saveFile';
import { answer, refusal } from '@/test/answers';
import { attachment } from '@/test/fixtures';
import { renderApp } from '@/test/render';
import { SignaturePane } from './SignaturePane';

vi.mock('@/app/session', () => ({ useProfile: () => ({ userId: 'p', fullName: 'Priya Nandakumar' }) }));
const hub = vi.hoisted(() => ({ tell: (_frame: { type: string; messageId?: string }) => {} }));
vi.mock('@/shared/hubs', async (original) => ({
  ...(await original<object>()),
  useHubEvents: (hear: typeof hub.tell) => void (hub.tell = hear),
}));
vi.mock('@/shared/saveFile', async (original) => ({ ...(await original<object>()), saveFile: vi.fn() }));

const CONSENT = 'I agree to sign these documents electronically.';
const priya = { id: 'p', name: 'Priya Nandakumar' };
const signer: Signer = {
  id: 's',
  signer: priya,
  requestedBy: { id: 'u', name: 'Dana Whitfield' },
  state: 'Waiting',
  note: '',
  reason: '',
  askedOn: '2026-11-20T10:00:00Z',
  isOwn: true,
  canBeCancelled: false,
  isOutdated: false,
  files: [],
};
const ready: SignedPdf = {
  attachmentId: 'a',
  fileName: 'Plan (signed).pdf',
  state: 'Ready',
  signedBy: [priya],
  problem: '',
  sizeBytes: 50_000,
  lacksTimestamp: false,
  isOutdated: false,
  readyOn: '2026-11-20T10:05:00Z',
};
const signers = (over: Partial<Signers> = {}): Signers => ({
  items: [signer],
  documents: 'seen',
  files: [{ attachmentId: 'a', fileName: 'Plan.pdf', pages: 3 }],
  consent: CONSENT,
  signedPdfs: [],
  ...over,
});

const show = () => renderApp(<SignaturePane message={{ id: 'm1', subject: 'Plan', direction: 'Intake', attachments: [attachment()] }} />);
const click = async (name: string | RegExp) => userEvent.click(await screen.findByRole('button', { name }));

/** Opens the dialog of a person who is asked to sign. */
async function open() {
  show();
  await click('Sign');
  const dialog = within(await screen.findByRole('dialog', { name: 'Sign documents' }));
  return { dialog, submit: () => userEvent.click(dialog.getByRole('button', { name: 'Sign' })) };
}

beforeEach(() => {
  setToken({ accessToken: 'a', expiresIn: 900 });
  vi.mocked(saveFile).mockClear();
  answer('get', '/api/messages/{id}/signers', signers());
  answer('get', '/api/messages/{id}/patient/differences', { items: [] });
  HTMLCanvasElement.prototype.getContext = () => null;
});

test('the name of the signer is the signature, and nothing is signed without consent', async () => {
  const sent = answer('post', '/api/messages/{id}/signers/sign', signers({ items: [{ ...signer, isOwn: false, state: 'Signed' }] }));
  const { dialog, submit } = await open();
  expect(dialog.getByRole('list', { name: 'Documents' })).toHaveTextContent('Plan.pdf3 pages');
  expect(dialog.getByRole('textbox', { name: /Your name/ })).toHaveValue('Priya Nandakumar');
  await userEvent.type(dialog.getByLabelText(/Your password/), 'secret');
  await submit();
  expect(await dialog.findByText('Please agree to sign electronically.')).toBeVisible();
  expect(sent).toEqual([]);
  await userEvent.click(dialog.getByRole('checkbox', { name: CONSENT }));
  await submit();
  expect(await screen.findByText('Signed. The signed PDF is being made.')).toBeInTheDocument();
  expect(sent[0]!.body).toMatchObject({
    documents: 'seen',
    password: 'secret',
    consents: true,
    signature: { kind: 'typed', text: 'Priya Nandakumar' },
  });
});

test('a document that changes under the open dialog is not signed unseen', async () => {
  const sent = answer('post', '/api/messages/{id}/signers/sign', signers());
  const { dialog, submit } = await open();
  const changed = { documents: 'changed', files: [{ attachmentId: 'b', fileName: 'Other.pdf', pages: 1 }] };
  const asked = answer('get', '/api/messages/{id}/signers', signers({ ...changed, items: [{ ...signer, note: 'Please hurry.' }] }));
  act(() => hub.tell({ type: 'intake', messageId: 'm1' }));
  await vi.waitFor(() => expect(asked).toHaveLength(1));
  expect(await screen.findByText('Please hurry.')).toBeInTheDocument();
  expect(dialog.getByRole('list', { name: 'Documents' })).toHaveTextContent('Plan.pdf3 pages');
  await userEvent.type(dialog.getByLabelText(/Your password/), 'secret');
  await userEvent.click(dialog.getByRole('checkbox', { name: CONSENT }));
  await submit();
  await vi.waitFor(() => expect(sent.map(({ body }) => body.documents)).toEqual(['seen']));
});

test('a drawn signature is sent as lines, and can be cleared', async () => {
  const sent = answer('post', '/api/messages/{id}/signers/sign', signers());
  const { dialog, submit } = await open();
  await userEvent.click(dialog.getByRole('tab', { name: 'Draw' }));
  await userEvent.type(dialog.getByLabelText(/Your password/), 'secret');
  await userEvent.click(dialog.getByRole('checkbox', { name: CONSENT }));
  await submit();
  expect(await dialog.findByText('Please type or draw your signature.')).toBeVisible();
  const draw = (...places: [number, number][]) => {
    const pad = dialog.getByRole('img');
    const at = ([clientX, clientY]: [number, number]) => ({ clientX, clientY, isPrimary: true, button: 0, pointerId: 1 });
    fireEvent.pointerDown(pad, at(places[0]!));
    for (const place of places.slice(1)) fireEvent.pointerMove(pad, at(place));
    fireEvent.pointerUp(pad, at(places.at(-1)!));
  };
  draw([10, 10], [20, 20]);
  await userEvent.click(dialog.getByRole('button', { name: 'Clear' }));
  expect(dialog.getByRole('img', { name: 'Draw your signature here' })).toBeVisible();
  draw([10, 20], [11, 21], [900, 400]);
  draw([500, 100]);
  await submit();
  expect(await screen.findByText('Signed. The signed PDF is being made.')).toBeInTheDocument();
  expect(sent[0]!.body.signature).toEqual({
    kind: 'drawn',
    strokes: [
      [10, 20, 900, 320],
      [500, 100],
    ],
  });
});

test('what the server says about the signature is shown at its place', async () => {
  refusal('post', '/api/messages/{id}/signers/sign', 422, { modelState: { signature: ['This drawing is too long.'] } });
  const { dialog, submit } = await open();
  await userEvent.type(dialog.getByLabelText(/Your password/), 'secret');
  await userEvent.click(dialog.getByRole('checkbox', { name: CONSENT }));
  await submit();
  expect(await dialog.findByRole('alert')).toHaveTextContent('This drawing is too long.');
});

test('a signed PDF is downloaded; one that failed says why and is tried again', async () => {
  const failed: SignedPdf = {
    ...ready,
    attachmentId: 'b',
    fileName: 'Scan (signed).pdf',
    state: 'Failed',
    signedBy: [],
    problem: 'The PDF is damaged.',
  };
  const making: SignedPdf = { ...failed, attachmentId: 'c', fileName: 'Form (signed).pdf', state: 'Making', problem: '' };
  answer('get', '/api/messages/{id}/signers', signers({ signedPdfs: [ready, failed, making] }));
  answer('get', '/api/messages/{id}/signers/documents/{attachmentId}', [1] as never);
  const again = answer('post', '/api/messages/{id}/signers/documents/{attachmentId}/retry', signers({ signedPdfs: [ready] }));
  show();
  const [first, second, third] = within(await screen.findByRole('list', { name: 'Signed PDFs' })).getAllByRole('listitem');
  expect(first).toHaveTextContent('Signed PDF ready');
  expect(first).toHaveTextContent('Signed by Priya Nandakumar');
  expect(second).toHaveTextContent('The signed PDF could not be made. The PDF is damaged.');
  expect(third).toHaveTextContent('Being signed');
  expect(within(third!).queryByRole('button')).toBeNull();
  await click('Download signed PDF: Plan (signed).pdf');
  await vi.waitFor(() => expect(saveFile).toHaveBeenCalledWith(expect.anything(), 'Plan (signed).pdf'));
  await click('Retry: Scan (signed).pdf');
  await vi.waitFor(() => expect(again).toHaveLength(1));
});
