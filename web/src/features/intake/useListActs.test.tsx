import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse, http } from 'msw';
import { beforeEach, expect, test, vi } from 'vitest';
import { setToken } from '@/api/token';
import { renderApp } from '@/test/render';
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

/** All that match are selected; the acts are run for one of the rows, or for the selection. */
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
