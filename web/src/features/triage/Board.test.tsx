import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse, http } from 'msw';
import { beforeEach, expect, test, vi } from 'vitest';
import { setToken } from '@/api/token';
import type { Batch } from '@/api/types';
import { saveFile } from '@/shared/saveFile';
import { answer, refusal } from '@/test/answers';
import { person } from '@/test/intake';
import { renderScreen } from '@/test/render';
import { server } from '@/test/setup';
import { BatchesPage } from './BatchesPage';
import { BatchPage } from './BatchPage';

vi.mock('@/app/session', () => ({ useProfile: () => person() }));
vi.mock('@/shared/saveFile', async (original) => ({ ...(await original<object>()), saveFile: vi.fn() }));
vi.mock('@tanstack/react-router', async (original) => ({ ...(await original<object>()), useParams: () => ({ id: 'b' }) }));
vi.mock('./pictures', async (original) => ({ ...(await original<object>()), Thumbnail: () => null, useLargePage: () => ({}) }));

const dana = { id: 'me', name: 'Dana Whitfield' } as never;
const pages = Array.from({ length: 4 }, () => ({ width: 612, height: 792, isBlank: false, isDamaged: false }));
const batch = (over: Partial<Batch> = {}): Batch => ({
  id: 'b',
  state: 'Open',
  files: [
    {
      id: 'f',
      position: 0,
      name: 'Stack.pdf',
      mimeType: 'application/pdf',
      sizeInBytes: 9,
      state: 'Ready',
      pageCount: 4,
      isWhole: false,
      pages,
    },
  ],
  parts: [{ name: 'Stack', pages: [1, 2, 3, 4].map((page) => ({ file: 0, page })) }],
  leftOut: [],
  documents: [],
  createdBy: dana,
  createdDate: '2026-11-20T10:00:00Z',
  modifiedBy: '',
  modifiedDate: '2026-11-20T10:00:00Z',
  version: 1,
  ...over,
});

const part = (number: number) => screen.getByRole('region', { name: new RegExp(`^Document ${number}:`) });
const page = (number: number | string) => screen.getByRole('button', { name: `Page ${number}` });
/** The pages of each document. */
const shape = () =>
  screen.getAllByRole('region', { name: /^Document \d+:/ }).map((region) =>
    within(region)
      .getAllByRole('button', { name: /^Page \d+$/ })
      .map((p) => Number(p.textContent)),
  );
const press = (keys: string) => userEvent.keyboard(keys);
const click = async (name: string | RegExp) => userEvent.click(await screen.findByRole('button', { name }));

beforeEach(() => {
  setToken({ accessToken: 'a', expiresIn: 900 });
  answer('get', '/api/triage/{id}', batch());
  answer('get', '/api/triage', { items: [] });
  answer('get', '/api/documenttypes', { items: [] } as never);
  answer('get', '/api/users/assignable', { items: [] } as never);
});

test('the arrows work from the start, and after a split by its button', async () => {
  answer('put', '/api/triage/{id}', batch({ version: 2 }));
  renderScreen(<BatchPage />, '/triage/b');
  await screen.findByRole('region', { name: /^Document 1:/ });
  await press('{ArrowRight}');
  expect(page(2)).toHaveFocus();
  await press('{ArrowRight}');
  await click('Split here');
  await waitFor(() => expect(page(3)).toHaveFocus());
  await press('{ArrowRight}{Enter}');
  expect(shape()).toEqual([[1, 2], [3], [4]]);
});

test('pages are split, turned, moved, merged, left out and kept by keys, and each step is undone', async () => {
  let version = 1;
  answer('put', '/api/triage/{id}', () => batch({ version: ++version }));
  renderScreen(<BatchPage />, '/triage/b');
  await screen.findByRole('region', { name: /^Document 1:/ });
  await userEvent.click(page(1));
  await press('{ArrowRight}{ArrowRight}{Enter}');
  expect(shape()).toEqual([
    [1, 2],
    [3, 4],
  ]);
  await waitFor(() => expect(page(3)).toHaveFocus());
  await press('{Shift>}{ArrowRight}{/Shift}');
  expect(screen.getByText('2 pages selected')).toBeInTheDocument();
  await press('r');
  expect(screen.getByText('2 pages rotated')).toBeInTheDocument();
  await press('[[');
  expect(shape()).toEqual([[1, 2, 3, 4]]);
  await press('zz');
  expect(shape()).toEqual([
    [1, 2],
    [3, 4],
  ]);
  await press('m');
  expect(shape()).toEqual([[1, 2, 3, 4]]);
  await press('z');
  await userEvent.click(page(4));
  await press('#');
  expect(shape()).toEqual([[1, 2], [3]]);
  expect(screen.getByRole('region', { name: 'Left out' })).toHaveTextContent('1 page');
  await click('Keep page 4');
  expect(shape()).toEqual([
    [1, 2],
    [3, 4],
  ]);
  for (const _ of ['keep', 'leave out', 'split']) await click('Undo');
  expect(shape()).toEqual([[1, 2, 3, 4]]);
  expect(screen.getByRole('button', { name: 'Undo' })).toBeDisabled();
  await click('Redo');
  expect(shape()).toEqual([
    [1, 2],
    [3, 4],
  ]);
});

test('whoever works on a batch that somebody else has changed is told, and loads it again', async () => {
  renderScreen(<BatchPage />, '/triage/b');
  const name = await screen.findByRole('textbox', { name: 'Name of document 1' });
  const refused = refusal('put', '/api/triage/{id}', 409, { message: 'Somebody else has changed this batch.' });
  answer('get', '/api/triage/{id}', batch({ version: 2, parts: [{ name: 'By Priya', pages: [{ file: 0, page: 1 }] }] }));
  fireEvent.change(name, { target: { value: 'Mine' } });
  expect(await screen.findByText(/^Somebody else has changed or filed this batch/)).toBeInTheDocument();
  expect(refused.map((r) => r.body)).toEqual([expect.objectContaining({ version: 1 })]);
  expect(screen.getByRole('button', { name: /^File 1/ })).toBeDisabled();
  await click('Load it again');
  await waitFor(() => expect(screen.getByRole('textbox', { name: 'Name of document 1' })).toHaveValue('By Priya'));
});

test('a document is filed with its name, after what was typed is saved', async () => {
  renderScreen(<BatchPage />, '/triage/b');
  const name = await screen.findByRole('textbox', { name: 'Name of document 1' });
  const saved = answer('put', '/api/triage/{id}', batch({ version: 2 }));
  const filed = answer('post', '/api/triage/{id}/file', batch({ state: 'Filing', documents: [] }));
  fireEvent.change(name, { target: { value: '' } });
  await press('{Control>}{Enter}{/Control}');
  expect(within(part(1)).getByText('Please enter a name.')).toBeInTheDocument();
  expect(name).toHaveFocus();
  fireEvent.change(name, { target: { value: 'Letter' } });
  await press('{Control>}{Enter}{/Control}');
  await waitFor(() => expect(filed.map((f) => f.body)).toEqual([{ version: 2 }]));
  expect(saved.at(-1)?.body.parts?.map((p) => p.name)).toEqual(['Letter']);
});

test('a file that cannot be used is named with its reason', async () => {
  const problem = 'It is damaged and cannot be opened.';
  const broken = {
    ...batch().files[0]!,
    id: 'x',
    position: 1,
    name: 'Broken.pdf',
    state: 'Refused',
    problem,
    pageCount: 0,
    pages: [],
  } as const;
  answer('get', '/api/triage/{id}', batch({ files: [...batch().files, broken] as never }));
  renderScreen(<BatchPage />, '/triage/b');
  expect(await screen.findByText(`“Broken.pdf”: ${problem}`)).toBeInTheDocument();
  expect(page('4 of Stack.pdf')).toBeInTheDocument();
});

test('a separator sheet with a label is downloaded', async () => {
  const asked: unknown[] = [];
  server.use(
    http.post('*/api/triage/separatorsheet', async ({ request }) => {
      asked.push(await request.json());
      return HttpResponse.text('a sheet');
    }),
  );
  renderScreen(<BatchesPage />, '/triage');
  await click('Separator sheet');
  await userEvent.type(await screen.findByRole('textbox', { name: 'Label' }), 'Outside records{Enter}');
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(asked).toEqual([{ label: 'Outside records' }]);
  expect(saveFile).toHaveBeenCalledWith(expect.anything(), expect.stringMatching(/^Carepost_separator-sheet_\d{8}T\d{6}Z\.pdf$/));
});
