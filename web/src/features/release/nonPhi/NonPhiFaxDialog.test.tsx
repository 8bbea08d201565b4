import { notifications } from '@mantine/notifications';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import { setToken } from '@/api/token';
import { answer, refusal } from '@/test/answers';
import { message } from '@/test/fixtures';
import { renderScreen } from '@/test/render';
import { NonPhiFaxDialog } from './NonPhiFaxDialog';

vi.mock('@/app/session', async (original) => ({ ...(await original<object>()), useProfile: () => ({ userId: 'u' }) }));

const OWN = '+17405550110';
const source = (n: number, fullAddress: string) =>
  ({ id: String(n), fullAddress, type: fullAddress.includes('@') ? 'DirectMessage' : 'Fax', status: 1, displayName: '' }) as const;
const saved = message({ id: 'd1' }) as never;
const FLYER = new File(['%PDF'], 'Flyer.pdf', { type: 'application/pdf' });

beforeEach(() => {
  notifications.clean();
  setToken({ accessToken: 't', expiresIn: 900 });
  answer('get', '/api/documentsources/release', { items: [source(1, OWN), source(2, 'a@larkfield.example')] });
});

const closed = vi.fn();
beforeEach(() => closed.mockReset());
const open = () => renderScreen(<NonPhiFaxDialog onClose={closed} />, '/release');
const dialog = () => screen.findByRole('dialog', { name: 'Non-PHI fax' });
const press = (name: string) => userEvent.click(screen.getByRole('button', { name }));
const write = (label: string, value: string) => fireEvent.change(screen.getByRole('textbox', { name: label }), { target: { value } });
/** A complete form, to a number that is used for the first time. */
const fill = async () => {
  await dialog();
  write('To fax number', '7405560001');
  write('Subject', 'Opening hours');
  await userEvent.upload(document.querySelector<HTMLInputElement>('input[type=file]')!, FLYER);
};

test('a fax that says nothing about a patient asks for number, subject, sender and file (MSG-S-033, MSG-R-110, MSG-T-069)', async () => {
  answer('get', '/api/documentsources/release', { items: [source(1, OWN), source(2, '+17405550111')] });
  open();
  await dialog();
  expect(screen.getByRole('textbox', { name: 'To fax number' })).toHaveFocus();
  await press('Send fax');
  for (const text of [
    '"To fax number" is required.',
    '"Subject" is required.',
    '"From fax number" is required.',
    'Missing file attachment.',
  ])
    expect(await screen.findByText(text)).toBeInTheDocument();
});

test('it is sent with its file and as what says nothing about a patient, to a new number once that was confirmed', async () => {
  const drafts = answer('put', '/api/messages', saved);
  const again = answer('put', '/api/messages/{id}', saved);
  const files = answer('post', '/api/messages/{id}/attachments', { id: 'a1' } as never);
  const refused = refusal('post', '/api/messages/{id}/send', 400, {
    modelState: { confirmedFaxNumbers: ['Nobody has faxed to this number yet. Please check and confirm it.'] },
  });
  const router = open();
  await fill();
  // A single own number needs no choice.
  expect(screen.getByRole('combobox', { name: 'From fax number' })).toHaveValue('1-740-555-0110');
  await press('Send fax');
  expect(await screen.findByText(/Please check and confirm it\./)).toBeInTheDocument();
  const body = { isNonPatient: true, subject: 'Opening hours', fromAddress: OWN };
  expect(drafts.map((d) => d.body)).toEqual([expect.objectContaining(body)]);
  expect(refused[0]!.body).toEqual({ confirmedFaxNumbers: [], isHeld: true });
  const sent = answer('post', '/api/messages/{id}/send', saved);
  await userEvent.click(screen.getByRole('checkbox', { name: 'I have checked 740-556-0001' }));
  await press('Send fax');
  await waitFor(() => expect(router.state.location.pathname).toBe('/release/d1'));
  expect(sent[0]!.body.confirmedFaxNumbers).toEqual(again[0]!.body.toAddresses);
  expect(files).toHaveLength(1);
});

test('a fax that is held back is not told to be sent yet, and comes back as a draft by Undo', async () => {
  answer('put', '/api/messages', saved);
  answer('post', '/api/messages/{id}/attachments', { id: 'a1' } as never);
  answer('post', '/api/messages/{id}/send', { id: 'd1', status: 'Pending', heldUntil: '2026-11-20T10:00:12Z' });
  const back = answer('post', '/api/messages/{id}/takeback', saved);
  const router = open();
  await fill();
  await press('Send fax');
  expect(await screen.findByText('Sending in 10 s.')).toBeInTheDocument();
  expect(screen.queryByText('The message was sent successfully.')).toBeNull();
  await press('Undo');
  await waitFor(() => expect(router.state.location.pathname).toBe('/release/draft/d1'));
  expect(back.map((b) => b.path.id)).toEqual(['d1']);
});

test('the own numbers are asked for again where they could not be loaded, and nothing is sent without', async () => {
  refusal('get', '/api/documentsources/release', 400);
  open();
  expect(await screen.findByText('Your fax numbers could not be loaded')).toBeInTheDocument();
  expect(screen.queryByRole('button', { name: 'Send fax' })).toBeNull();
  let release = () => {};
  const waits = new Promise<void>((done) => (release = done));
  const asked = answer('get', '/api/documentsources/release', async () => {
    await waits;
    return { items: [source(1, OWN)] };
  });
  await press('Try again');
  await waitFor(() => expect(asked).toHaveLength(1));
  expect(screen.getByText('Your fax numbers could not be loaded')).toBeInTheDocument();
  release();
  expect(await screen.findByRole('combobox', { name: 'From fax number' })).toHaveValue('1-740-555-0110');
});

test('while it is being sent, closing the dialog does not discard it', async () => {
  answer('put', '/api/messages', saved);
  answer('post', '/api/messages/{id}/attachments', { id: 'a1' } as never);
  const discarded = answer('delete', '/api/messages/{id}', null as never);
  let release = () => {};
  const waits = new Promise<void>((done) => (release = done));
  const sending = answer('post', '/api/messages/{id}/send', async () => {
    await waits;
    return saved;
  });
  const router = open();
  await fill();
  await press('Send fax');
  await waitFor(() => expect(sending).toHaveLength(1));
  const form = within(await dialog());
  await userEvent.keyboard('{Escape}');
  await userEvent.click(form.getByRole('button', { name: 'Close' }));
  expect(form.getByRole('button', { name: 'Cancel' })).toBeDisabled();
  expect(closed).not.toHaveBeenCalled();
  expect(discarded).toEqual([]);
  release();
  await waitFor(() => expect(router.state.location.pathname).toBe('/release/d1'));
  expect(discarded).toEqual([]);
});

test('a document that cannot be attached is told in the documented words, and closing leaves no draft (MSG-R-319, MSG-T-086)', async () => {
  answer('put', '/api/messages', saved);
  refusal('post', '/api/messages/{id}/attachments', 500);
  const discarded = answer('delete', '/api/messages/{id}', null as never);
  open();
  await fill();
  await press('Send fax');
  expect(await screen.findByText('Unable to attach document.')).toBeInTheDocument();
  await press('Cancel');
  expect(closed).toHaveBeenCalled();
  await waitFor(() => expect(discarded.map((d) => d.path.id)).toEqual(['d1']));
});
