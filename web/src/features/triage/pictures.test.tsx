import { fireEvent, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse, http } from 'msw';
import { beforeEach, expect, test, vi } from 'vitest';
import { setToken } from '@/api/token';
import type { Batch, BatchFile } from '@/api/types';
import { saveFile } from '@/shared/saveFile';
import { renderApp } from '@/test/render';
import { server } from '@/test/setup';
import { PagePane } from './PagePane';
import { Pictures, PicturesFailed, Thumbnail } from './pictures';
import type { Selection } from './useBoard';

vi.mock('@/shared/saveFile', async (original) => ({ ...(await original<object>()), saveFile: vi.fn() }));
vi.mock('@mantine/hooks', async (original) => ({
  ...(await original<object>()),
  useInViewport: () => ({ ref: () => {}, inViewport: true }),
}));

const scan: BatchFile = {
  id: 'f',
  position: 0,
  name: 'Stack.pdf',
  mimeType: 'application/pdf',
  sizeInBytes: 9,
  state: 'Ready',
  pageCount: 1,
  isWhole: false,
  pages: [{ width: 612, height: 792, isBlank: false, isDamaged: false }],
};
const batch = { id: 'b' } as Batch;
const page = { file: 0, page: 1, turn: 0, straighten: false } as never;
const selection = { page, index: 0, count: 1, step: () => null } as unknown as Selection;
const pane = (file = scan) => <PagePane batch={batch} files={new Map([[0, file]])} selection={selection} onRotate={() => {}} />;

let asked: string[];
/** The answer for the original of a file. */
let original: () => Response;
beforeEach(() => {
  setToken({ accessToken: 't', expiresIn: 900 });
  asked = [];
  original = () => new HttpResponse('bytes', { headers: { 'content-type': 'application/octet-stream' } });
  let made = 0;
  vi.stubGlobal('URL', Object.assign(URL, { createObjectURL: () => `blob:${++made}`, revokeObjectURL: () => {} }));
  server.use(
    http.get('*/api/triage/b/files/f/:kind/:number', ({ params }) => {
      asked.push(`${String(params.kind)} ${String(params.number)}`);
      return new HttpResponse('png', { headers: { 'content-type': 'image/png' } });
    }),
    http.get('*/api/triage/b/files/f', ({ request }) => {
      asked.push(`file ${request.headers.get('accept')}`);
      return original();
    }),
  );
});

test('a page that the browser cannot draw says so, is fetched again and can be saved', async () => {
  renderApp(pane());
  fireEvent.error(await screen.findByRole('img', { name: 'Page 1' }));
  expect(screen.getByRole('alert')).toHaveTextContent('This page could not be shown.');
  await userEvent.click(screen.getByRole('button', { name: 'Download the file' }));
  await waitFor(() => expect(saveFile).toHaveBeenCalledWith(expect.anything(), 'Stack.pdf'));
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByRole('img', { name: 'Page 1' })).toBeInTheDocument();
  expect(asked.filter((a) => a === 'pages 1')).toHaveLength(2);
});

test('small pictures that the browser cannot draw say so, and are fetched again together', async () => {
  renderApp(
    <Pictures batch={batch}>
      <PicturesFailed />
      <Thumbnail file={scan} page={page} />
    </Pictures>,
  );
  const sheet = () => document.querySelector<HTMLImageElement>('img[hidden]');
  await waitFor(() => expect(sheet()).not.toBeNull());
  expect(screen.queryByText('Not shown')).toBeNull();
  fireEvent.error(sheet()!);
  expect(screen.getByText('Not shown')).toBeInTheDocument();
  expect(screen.getByText(/Some page images could not be loaded/)).toBeInTheDocument();
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
  await waitFor(() => expect(screen.queryByText('Not shown')).toBeNull());
  expect(asked).toEqual(['sheets 0', 'sheets 0']);
});

const summary: BatchFile = { ...scan, name: 'Summary.xml', mimeType: 'text/xml', isWhole: true, pages: [] };

test('a clinical document is shown as in its message', async () => {
  original = () => HttpResponse.html('<html><head><style></style></head><body>No known allergies.</body></html>');
  renderApp(pane(summary));
  expect(await screen.findByTitle('Summary.xml', { exact: true })).toBeInTheDocument();
  expect(await screen.findByRole('toolbar', { name: 'Document tools' })).toBeInTheDocument();
  expect(asked).toEqual(['file text/html']);
});

test('a clinical document that cannot be shown says why, and can be saved', async () => {
  original = () => HttpResponse.json({ status: 409, message: 'The document is not well-formed.' }, { status: 409 });
  renderApp(pane(summary));
  expect(await screen.findByText('This document could not be shown')).toBeInTheDocument();
  expect(screen.getByRole('button', { name: 'Download the file' })).toBeInTheDocument();
});

test.each([
  ['Letter.docx', 'application/msword', []],
  ['Other.xml', 'text/xml', ['file text/html']],
])('what has no pages is named and can be saved: %s', async (name, mimeType, calls) => {
  renderApp(pane({ ...summary, name, mimeType }));
  expect(await screen.findByText(`${name} is filed as it is.`)).toBeInTheDocument();
  expect(asked).toEqual(calls);
  await userEvent.click(screen.getByRole('button', { name: 'Download the file' }));
  await waitFor(() => expect(saveFile).toHaveBeenLastCalledWith(expect.anything(), name));
});
