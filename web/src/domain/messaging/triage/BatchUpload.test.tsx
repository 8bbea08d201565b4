import { createEvent, fireEvent, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import { ApiError } from '@/api/client';
import { setToken } from '@/api/token';
import { askForUpgrade } from '@/app/upgrade';
import { answer } from '@/test/answers';
import { person } from '@/test/intake';
import { renderScreen } from '@/test/render';
import { IntakeUploads } from './BatchUpload';

const session = vi.hoisted(() => ({ uiResources: {} }));
vi.mock('@/app/session', () => ({ useProfile: () => person(session) }));
const sent = vi.hoisted(() => ({ names: [] as string[] }));
// Names of files do not survive a form in jsdom.
vi.mock('./upload', async (original) => ({
  ...(await original<object>()),
  addFile: async (_batch: string, { name }: File) => {
    if (name.endsWith('.exe')) throw new ApiError(400, { message: 'Your attachment file type exe is not supported' });
    sent.names.push(name);
  },
}));
vi.mock('@/app/upgrade', async (original) => ({ ...(await original<object>()), askForUpgrade: vi.fn() }));

const file = (name: string) => new File(['words'], name, { type: 'application/pdf' });
const chooser = () => document.querySelector<HTMLInputElement>('input[type="file"]')!;

beforeEach(() => {
  setToken({ accessToken: 'a', expiresIn: 900 });
  vi.mocked(askForUpgrade).mockClear();
  session.uiResources = {};
  sent.names = [];
  answer('get', '/api/triage', { items: [] });
  answer('post', '/api/triage', { id: 'b' } as never);
});

test('files that are dropped anywhere on the window are uploaded, and their batch opens', async () => {
  const router = renderScreen(<IntakeUploads />, '/intake');
  await screen.findByRole('button', { name: 'Upload' });
  const dragged = { dataTransfer: { types: ['Files'], files: [file('One.pdf'), file('Two.pdf')] } };
  fireEvent.dragEnter(document.body, dragged);
  expect(screen.getByText('Drop files to upload them')).toBeInTheDocument();
  // Otherwise the browser would open them.
  const drop = createEvent.drop(document.body, dragged);
  fireEvent(document.body, drop);
  expect(drop.defaultPrevented).toBe(true);
  await waitFor(() => expect(router.state.location.pathname).toBe('/triage/b'));
  expect(sent.names).toEqual(['One.pdf', 'Two.pdf']);
  expect(screen.queryByText('Drop files to upload them')).toBeNull();
});

test('of several files the one that is refused is named, and the others go on', async () => {
  const router = renderScreen(<IntakeUploads />, '/intake');
  await screen.findByRole('button', { name: 'Upload' });
  fireEvent.change(chooser(), { target: { files: [file('Program.exe'), file('Good.pdf')] } });
  expect(await screen.findByRole('dialog', { name: 'Uploaded' })).toHaveTextContent('Program.exe');
  expect(screen.getByRole('alert')).toHaveTextContent('Your attachment file type exe is not supported');
  expect(sent.names).toEqual(['Good.pdf']);
  await userEvent.click(screen.getByRole('button', { name: 'Continue with 1 file' }));
  await waitFor(() => expect(router.state.location.pathname).toBe('/triage/b'));
});

test('a batch of which no file could be used is taken back', async () => {
  const removed = answer('delete', '/api/triage/{id}', null as never);
  const router = renderScreen(<IntakeUploads />, '/intake');
  await screen.findByRole('button', { name: 'Upload' });
  fireEvent.change(chooser(), { target: { files: [file('Program.exe')] } });
  await waitFor(() => expect(removed.map((r) => r.path.id)).toEqual(['b']));
  expect(router.state.location.pathname).toBe('/intake');
});

test('where the plan has no triage, uploading asks for an upgrade, by button and by drop (MSG-R-366)', async () => {
  session.uiResources = { triage: ['plan-upgrade-prompt'] };
  renderScreen(<IntakeUploads />, '/intake');
  await userEvent.click(await screen.findByRole('button', { name: 'Upload' }));
  expect(askForUpgrade).toHaveBeenCalledTimes(1);
  expect(chooser()).toBeNull();
  fireEvent.drop(document.body, { dataTransfer: { types: ['Files'], files: [file('One.pdf')] } });
  expect(askForUpgrade).toHaveBeenCalledTimes(2);
  expect(sent.names).toEqual([]);
});
