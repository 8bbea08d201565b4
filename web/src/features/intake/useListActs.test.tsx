import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse, http } from 'msw';
import { beforeEach, expect, test, vi } from 'vitest';
import { setToken } from '@/api/token';
import { useShortcuts } from '@/shared/shortcuts';
import { answer } from '@/test/answers';
import { row } from '@/test/intake';
import { renderApp, renderScreen } from '@/test/render';
import { server } from '@/test/setup';
import { type Meant, useListActs } from './useListActs';

vi.mock('@/app/session', () => ({ useProfile: () => ({ roles: ['User'], uiResources: {} }) }));

const all = { request: { filter: 'lab' }, words: '5,000 messages' };
const calls: { path: string; body: unknown }[] = [];

beforeEach(() => {
  setToken({ accessToken: 'a', expiresIn: 900 });
  calls.length = 0;
  const note =
    (answer: object) =>
    async ({ request }: { request: Request }) => {
      calls.push({ path: new URL(request.url).pathname, body: await request.json() });
      return HttpResponse.json(answer);
    };
  server.use(
    http.post('*/api/messages/bulk', note({ done: ['b'], refused: [] })),
    http.post('*/api/messages/bulk/jobs', note({ id: 'j' })),
    http.get('*/api/settings/interoperability', () => HttpResponse.json({ exportOption: 'standard' })),
  );
});

/** All that match are selected; the acts run for one of the rows, or for the selection. */
function Host({ selected = { ids: ['a'], all } }: { selected?: Meant }) {
  const acts = useListActs([], selected, () => {});
  return (
    <>
      <button onClick={() => acts.process({ ids: ['b'] })}>Process the row</button>
      <button onClick={() => acts.remove({ ids: ['b'] })}>Delete the row</button>
      <button onClick={() => acts.snooze({ ids: ['b'] })}>Snooze the row</button>
      <button onClick={() => acts.process(selected)}>Process the selected</button>
      <button onClick={() => acts.exportFiles(selected)}>Export the selected</button>
      <button onClick={() => acts.print(selected)}>Print the selected</button>
      {acts.dialogs}
    </>
  );
}
const click = async (name: string | RegExp) => userEvent.click(await screen.findByRole('button', { name }));

test('the menu of one row acts on that row, also while all that match are selected', async () => {
  renderApp(<Host />);
  await click('Process the row');
  await waitFor(() => expect(calls).toEqual([{ path: '/api/messages/bulk', body: { act: 'process', ids: ['b'], acceptsGaps: false } }]));
  await click('Delete the row');
  expect(await screen.findByRole('dialog', { name: 'Delete 1 message?' })).toBeInTheDocument();
  await click('Delete');
  await waitFor(() =>
    expect(calls.at(-1)).toEqual({ path: '/api/messages/bulk', body: expect.objectContaining({ act: 'delete', ids: ['b'] }) }),
  );
  await click('Snooze the row');
  expect(await screen.findByRole('dialog', { name: 'Snooze 1 message' })).toBeInTheDocument();
  await userEvent.click(await screen.findByRole('option', { name: 'Bring back now' }));
  await waitFor(() =>
    expect(calls.at(-1)).toEqual({ path: '/api/messages/bulk', body: expect.objectContaining({ act: 'snooze', ids: ['b'] }) }),
  );
});

test('the buttons of the selection act on all that match', async () => {
  renderApp(<Host />);
  await click('Process the selected');
  await waitFor(() =>
    expect(calls).toEqual([{ path: '/api/messages/bulk/jobs', body: { act: 'process', acceptsGaps: false, intake: all.request } }]),
  );
});

test('files of all that match are refused in words, rather than made of the few in view', async () => {
  renderApp(<Host />);
  await click('Export the selected');
  expect(await screen.findByText(/^At the most 1,000 messages can be exported at once, not 5,000 messages\./)).toBeVisible();
  expect(screen.queryByRole('dialog')).toBeNull();
});

test('more than the printer takes at once are refused in words', async () => {
  renderApp(<Host selected={{ ids: Array.from({ length: 51 }, (_, i) => String(i)) }} />);
  await click('Print the selected');
  expect(await screen.findByText(/^At the most 50 messages can be printed at once, not 51 messages\./)).toBeVisible();
});

/** The list with one row, the target of the keys. */
function Keys({ m = row() }) {
  const acts = useListActs([m], { ids: [] }, () => {});
  useShortcuts(acts.keys(m));
  return <>{acts.dialogs}</>;
}
function pressInList(m = row()) {
  answer('get', '/api/users/assignable', { items: [{ id: 'p', name: 'Priya Nandakumar' }] } as never);
  answer('get', '/api/documenttypes', { items: [{ id: 'c', name: 'Consult' }] } as never);
  const acts = answer('post', '/api/messages/bulk', ({ body }) => ({ done: body.ids, refused: [] }));
  const charges = answer('put', '/api/messages/{id}/assign', {} as never);
  renderScreen(<Keys m={m} />);
  const told = async (words: string) => expect(await screen.findByText(words)).toBeInTheDocument();
  const bodies = () => acts.map(({ body }) => body as object);
  return { bodies, charges, told };
}

test('one key marks the row as urgent, and z puts back what it was', async () => {
  const { bodies, charges, told } = pressInList(row({ assignedTo: { id: 'p', name: 'Priya Nandakumar' } as never }));
  await userEvent.keyboard('u');
  await told('1 message marked as urgent.');
  await userEvent.keyboard('z');
  await told('Undone.');
  expect(bodies()).toEqual([expect.objectContaining({ act: 'urgent', ids: ['a'], urgent: true })]);
  expect(charges.map((c) => [c.path.id, c.body])).toEqual([['a', { userId: 'p', urgent: false }]]);
});

test('a reviewer and a type are chosen by typing', async () => {
  const { bodies, told } = pressInList();
  await userEvent.keyboard('a');
  await screen.findByRole('dialog', { name: 'Assign 1 message' });
  await userEvent.keyboard('priya{Enter}');
  await told('1 message assigned.');
  await userEvent.keyboard('t');
  await screen.findByRole('dialog');
  await userEvent.keyboard('consult{Enter}');
  await told('1 message filed as Consult.');
  expect(bodies()).toEqual([
    expect.objectContaining({ act: 'assign', ids: ['a'], userId: 'p' }),
    expect.objectContaining({ act: 'type', ids: ['a'], documentType: 'Consult' }),
  ]);
});

test.each([
  ['e', 'filed', 'process', 'reopen'],
  ['#', 'deleted', 'delete', 'restore'],
])('what is done by %s is taken back by z', async (key, words, act, opposite) => {
  const { bodies, told } = pressInList();
  await userEvent.keyboard(key);
  if (key === '#') await click('Delete');
  await told(`1 message ${words}.`);
  await userEvent.keyboard('z');
  await told('Undone.');
  expect(bodies()).toEqual([expect.objectContaining({ act, ids: ['a'] }), expect.objectContaining({ act: opposite, ids: ['a'] })]);
});

test('the notice of a filed message says whose it is', async () => {
  pressInList(row({ patientName: 'Tenney, Ruth' }));
  await userEvent.keyboard('e');
  expect(await screen.findByText('1 message filed under Tenney, Ruth.')).toBeInTheDocument();
});

test('a snoozed message is brought back by z', async () => {
  const { bodies, told } = pressInList();
  await userEvent.keyboard('s');
  await screen.findByRole('dialog', { name: 'Snooze 1 message' });
  await userEvent.keyboard('3d{Enter}');
  await told('1 message snoozed.');
  await userEvent.keyboard('z');
  await told('Undone.');
  expect(bodies()).toEqual([
    expect.objectContaining({ act: 'snooze', until: expect.stringMatching(/^20/) }),
    expect.objectContaining({ act: 'snooze', ids: ['a'], until: null }),
  ]);
});

test('messages without patient or type are named by their patients, and filed only once somebody says so', async () => {
  const { bodies, told } = pressInList(row({ subject: 'Lost' }));
  const refused = [{ id: 'a', reasons: ['No patient is named.'], canBeConfirmed: true, subject: 'Lost', patientName: 'Tenney, Ruth' }];
  const acts = answer('post', '/api/messages/bulk', ({ body }) =>
    body.acceptsGaps ? { done: body.ids, refused: [] } : { done: [], refused },
  );
  await userEvent.keyboard('e');
  const question = await screen.findByRole('dialog', { name: 'File without patient or type?' });
  expect(question).toHaveTextContent('Tenney, Ruth · Lost');
  expect(question).toHaveTextContent('No patient is named.');
  await click('File anyway');
  await told('1 message filed.');
  expect(acts.map(({ body }) => body.acceptsGaps)).toEqual([false, true]);
  expect(bodies()).toEqual([]);
});
