import type { ReactNode } from 'react';
import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse, http } from 'msw';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Task } from '@/api/types';
import { setToken } from '@/api/token';
import { notify } from '@/shared/notify';
import { server } from '@/test/setup';
import { ExportDialog, usualForm } from './ExportDialog';
import { closeTasks, openTasks } from './opened';
import { saveTask } from './saving';
import { TaskList } from './TaskList';

vi.mock('@/shared/notify', () => ({ notify: vi.fn() }));
vi.mock('@/app/session', () => ({ useProfile: () => ({ roles: ['User'], uiResources: {} }) }));
vi.mock('@/app/access', async (original) => ({ ...(await original<object>()), hasRole: () => true }));
vi.mock('@/shared/ui/AppLink', () => ({
  AppLink: ({ children, ...rest }: { children?: ReactNode }) => <a {...rest}>{children}</a>,
  useGo: () => vi.fn(),
}));
vi.mock('./saving', async (original) => ({ ...(await original<object>()), saveTask: vi.fn(async () => true) }));

const task = (over: Partial<Task> = {}): Task => ({
  id: 'a',
  type: 'file',
  content: 'Export of 12 messages',
  date: '2026-11-25T22:27:40Z',
  href: null,
  worker: { inProgress: true, inError: false },
  result: 'accepted',
  message: '3 of 12 messages done.',
  form: 'NativeExport',
  state: 'Processing',
  hasFolders: false,
  messageCount: 12,
  messagesDone: 3,
  fileCount: 3,
  problemCount: 0,
  unfiledCount: 0,
  sizeInBytes: 1000,
  fileName: 'carepost_native-export_20261125T222740Z',
  expirationDate: '2026-11-26T22:27:40Z',
  ...over,
});
const ready = (over: Partial<Task> = {}) =>
  task({ state: 'Ready', result: 'success', worker: { inProgress: false, inError: false }, message: 'Ready.', ...over });

let tasks: Task[];
const calls: string[] = [];
const show = (children: React.ReactNode) => {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const frame = (
    <QueryClientProvider client={client}>
      <MantineProvider env="test">{children}</MantineProvider>
    </QueryClientProvider>
  );
  render(frame);
  return client;
};

beforeEach(() => {
  setToken({ accessToken: 'a', expiresIn: 900 });
  calls.length = 0;
  const note = ({ request }: { request: Request }) => {
    calls.push(`${request.method} ${new URL(request.url).pathname}`);
    return HttpResponse.json(task());
  };
  server.use(
    http.get('*/api/tasks', () => HttpResponse.json({ items: tasks })),
    http.get('*/api/settings/interoperability', () => HttpResponse.json({ exportOption: 'standard', nonPatientExport: true, gaps: 'ask' })),
    http.put('*/api/tasks/:id/:act', note),
    http.delete('*/api/tasks', (info) => (note(info), new HttpResponse(null, { status: 204 }))),
    http.delete('*/api/tasks/:id', (info) => (note(info), new HttpResponse(null, { status: 204 }))),
    http.get('*/api/tasks/:id/files', () =>
      HttpResponse.json({ items: [], problems: [{ messageId: 'm', subject: 'Letter', reasons: ['No patient is named.'] }] }),
    ),
  );
});
afterEach(() => {
  act(closeTasks);
  vi.useRealTimers();
  vi.clearAllMocks();
});

test('the list says what is made, what went wrong and what can be done (MSG-S-067, MSG-R-163)', async () => {
  tasks = [
    task({ id: 'running' }),
    ready({ id: 'done', content: 'PDF export of 2 messages' }),
    ready({ id: 'paper', type: 'print', content: 'Print of 1 message', problemCount: 1, unfiledCount: 2, message: 'Ready.' }),
    ready({ id: 'wrong', content: 'C-CDA export of 1 message', state: 'Failed', worker: { inProgress: false, inError: true } }),
  ];
  show(<TaskList />);
  act(openTasks);
  const row = async (words: string) => within((await screen.findByText(words)).closest('li')!);
  const running = await row('Export of 12 messages');
  expect(running.getByText('3 of 12 messages done.')).toBeVisible();
  await userEvent.click(running.getByRole('button', { name: 'Cancel' }));
  await userEvent.click((await row('PDF export of 2 messages')).getByRole('button', { name: 'Download' }));
  expect(saveTask).toHaveBeenCalledWith(expect.objectContaining({ id: 'done' }));
  const paper = await row('Print of 1 message');
  expect(paper.getByRole('link', { name: 'Print' })).toHaveAttribute('href', '/print?job=paper');
  await userEvent.click(paper.getByRole('button', { name: '1 message left out, 2 not filed' }));
  expect(await paper.findByText('No patient is named.')).toBeVisible();
  await userEvent.click(paper.getByRole('button', { name: 'Try anyway' }));
  await userEvent.click((await row('C-CDA export of 1 message')).getByRole('button', { name: 'Try again' }));
  await userEvent.click(screen.getByRole('button', { name: 'Remove Export of 12 messages' }));
  await userEvent.click(screen.getByRole('button', { name: 'Clear' }));
  await waitFor(() =>
    expect(calls).toEqual([
      'PUT /api/tasks/running/cancel',
      'PUT /api/tasks/paper/retry',
      'PUT /api/tasks/wrong/retry',
      'DELETE /api/tasks/running',
      'DELETE /api/tasks',
    ]),
  );
});

test('what this page began is told after 3 s if it is not over, and saved once it is made (MSG-R-459)', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  tasks = [task({ id: 'new' })];
  server.use(http.post('*/api/tasks', () => HttpResponse.json(task({ id: 'new' }), { status: 202 })));
  Object.assign(URL, { createObjectURL: () => 'blob:x' });
  const closed = vi.fn();
  const client = show(
    <>
      <TaskList />
      <ExportDialog ids={['m']} onClose={closed} />
    </>,
  );
  await userEvent.setup({ advanceTimers: vi.advanceTimersByTime }).click(await screen.findByRole('button', { name: 'Export' }));
  await waitFor(() => expect(closed).toHaveBeenCalled());
  await act(() => vi.advanceTimersByTimeAsync(2500));
  expect(notify).not.toHaveBeenCalled();
  await act(() => vi.advanceTimersByTimeAsync(1000));
  expect(notify).toHaveBeenCalledWith('info', 'Export of 12 messages continues in the background.', expect.anything());
  expect(saveTask).not.toHaveBeenCalled();
  tasks = [ready({ id: 'new' })];
  await act(() => client.invalidateQueries());
  await waitFor(() => expect(notify).toHaveBeenLastCalledWith('success', 'Export of 12 messages is done.'));
  expect(saveTask).toHaveBeenCalledTimes(1);
});

test('an export leaves nothing out and files nothing, unless somebody wants it filed', async () => {
  tasks = [];
  const asked: unknown[] = [];
  server.use(
    http.get('*/api/settings/interoperability', () =>
      HttpResponse.json({ exportOption: 'standard', nonPatientExport: false, gaps: 'refuse' }),
    ),
    http.post('*/api/tasks', async ({ request }) => (asked.push(await request.json()), HttpResponse.json(task(), { status: 202 }))),
  );
  Object.assign(URL, { createObjectURL: () => 'blob:x' });
  show(<ExportDialog ids={['m']} onClose={() => {}} />);
  const files = await screen.findByRole('checkbox', { name: 'File the exported messages' });
  expect(files).not.toBeChecked();
  await userEvent.click(files);
  expect(await screen.findByText('Messages with no patient or document type are exported too and stay open.')).toBeVisible();
  await userEvent.click(files);
  await userEvent.click(screen.getByRole('button', { name: 'Export' }));
  await waitFor(() => expect(asked).toEqual([expect.objectContaining({ isProcessed: false, acceptsGaps: false })]));
});

test('documents leave in the form of the organization, if its plan has it (MSG-R-158, MSG-R-019)', () => {
  expect(usualForm({ exportOption: 'standard' }, false)).toBe('NativeExport');
  expect(usualForm({ exportOption: 'xds-sd_cda' }, false)).toBe('StructuredExport');
  expect(usualForm({ exportOption: 'xds-sd_cda' }, true)).toBe('NativeExport');
});
