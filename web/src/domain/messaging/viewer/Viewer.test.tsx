import { MantineProvider } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse, http } from 'msw';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { setToken } from '@/api/token';
import type { Attachment } from '@/api/types';
import { answer, refusal } from '@/test/answers';
import { attachment } from '@/test/fixtures';
import { renderApp } from '@/test/render';
import { permissions } from '@/test/session';
import { server } from '@/test/setup';
import { downloadOriginal, printAttachment, Viewer } from './Viewer';

vi.mock('@/shared/hubs', () => ({ connectHub: () => ({ send: () => {}, close: () => {} }) }));
vi.mock('./PdfView', () => ({ PdfView: ({ name }: { name: string }) => <p>Pages of {name}</p> }));

const features = (...names: string[]) =>
  answer('get', '/api/features', { features: names.map((name) => ({ name, isEnabled: true })) } as never);
const clinical = (over: Partial<Attachment> = {}) =>
  attachment({ fileName: 'Summary.xml', mimeType: 'application/xml', isClinicalDocument: true, ...over });

/** The readable page of clinical documents. */
let page: string;

beforeEach(() => {
  notifications.clean();
  page = '<html><head><style></style></head><body>No known allergies.</body></html>';
  setToken({ accessToken: 't', expiresIn: 900 });
  answer('get', '/api/users/profiledata', {
    userId: 'u',
    roles: ['User'],
    organizations: [],
    permissions: permissions(),
  } as never);
  features('IntakeCdaViewer');
  answer('get', '/api/messages/{id}/attachments/{attachmentId}/outline', { title: 'Summary', sections: [] } as never);
  answer('get', '/api/users/current', {} as never);
  server.use(
    http.get('*/api/messages/m1/attachments/:id', ({ request }) => {
      return request.headers.get('accept') === 'text/html'
        ? HttpResponse.html(page)
        : new HttpResponse('%PDF', { headers: { 'content-type': 'application/pdf' } });
    }),
  );
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

test('a clinical document has a preview and, with its feature, an explorer (MSG-S-036, MSG-S-037, MSG-R-120, MSG-T-033, MSG-T-034)', async () => {
  renderApp(<Viewer attachment={clinical()} />);
  expect(await screen.findByRole('tab', { name: 'Preview' })).toHaveAttribute('aria-selected', 'true');
  expect(await screen.findByTitle('Summary.xml')).toBeInTheDocument();
  await userEvent.click(await screen.findByRole('tab', { name: 'CDA Explorer' }));
  expect(await screen.findByRole('heading', { name: 'This document has no sections' })).toBeInTheDocument();
});

test('without its feature there is no CDA Explorer (MSG-R-121)', async () => {
  const known = features('OptimizedIntake');
  renderApp(<Viewer attachment={clinical()} />);
  expect(await screen.findByRole('tab', { name: 'Preview' })).toBeInTheDocument();
  await waitFor(() => expect(known).toHaveLength(1));
  await screen.findByTitle('Summary.xml');
  expect(screen.getAllByRole('tab')).toHaveLength(1);
});

test('turning quickly through clinical documents asks only for the last one, 300 ms after it came into view (MSG-S-038, MSG-R-122, MSG-R-123)', async () => {
  features();
  const client = new QueryClient();
  const view = (id: string) => (
    <QueryClientProvider client={client}>
      <MantineProvider env="test">
        <Viewer attachment={clinical({ id, fileName: `${id}.xml` })} />
      </MantineProvider>
    </QueryClientProvider>
  );
  const { rerender } = render(view('one'));
  expect(await screen.findByTitle('one.xml')).toBeInTheDocument();
  // Started requests count, also cancelled ones.
  const begun = vi.spyOn(globalThis, 'fetch');
  const pages = () => begun.mock.calls.filter(([, init]) => new Headers(init?.headers).get('accept') === 'text/html').map(([url]) => url);
  vi.useFakeTimers({ shouldAdvanceTime: true });
  rerender(view('two'));
  await act(() => vi.advanceTimersByTimeAsync(200));
  rerender(view('three'));
  await act(() => vi.advanceTimersByTimeAsync(250));
  expect(pages()).toEqual([]);
  await act(() => vi.advanceTimersByTimeAsync(100));
  expect(await screen.findByTitle('three.xml')).toBeInTheDocument();
  expect(pages()).toEqual([expect.stringMatching(/attachments\/three$/)]);
});

test('a clinical document that carries a file is shown as that file', async () => {
  page = '<html><head><meta name="embedded-file" content="application/pdf"><style></style></head><body></body></html>';
  renderApp(<Viewer attachment={clinical({ mimeType: 'application/xml', previewAvailable: 'Available' })} />);
  expect(await screen.findByText('Pages of Summary.xml')).toBeInTheDocument();
  expect(screen.queryByTitle('Summary.xml')).toBeNull();
  expect(screen.getAllByRole('button', { name: 'Print' })).toHaveLength(1);
});

test('printing opens the print page with its job in a new window, or says that it failed (SES-S-027, SES-R-027, SES-R-028, MSG-S-012, MSG-R-045, MSG-R-046, MSG-R-430, MSG-T-107)', async () => {
  const open = vi.spyOn(window, 'open').mockReturnValue(window);
  renderApp(<Viewer attachment={clinical()} />);
  await userEvent.click(await screen.findByRole('button', { name: 'Print' }));
  expect(open).toHaveBeenCalledWith('/print?job=m1.a1', '_blank');
  expect(screen.queryByText(/attempting to print/)).toBeNull();
  open.mockReturnValue(null);
  printAttachment(attachment());
  expect(await screen.findByText('An error occurred while attempting to print. Please try again.')).toBeInTheDocument();
});

test('a file that cannot be downloaded says so (MSG-R-434, MSG-T-111)', async () => {
  refusal('get', '/api/messages/{id}/attachments/{attachmentId}', 500);
  renderApp(<p />);
  expect(await downloadOriginal(attachment())).toBe(false);
  expect(await screen.findByText('Unable to download the file.')).toBeInTheDocument();
});

test('a preview that is not whole says what is missing above it, and one that failed says why in its place', async () => {
  const words = 'Page 3 of the original could not be read and is left out.';
  const { unmount } = renderApp(<Viewer attachment={attachment({ previewError: words })} />);
  expect(await screen.findByText('Pages of Visit note.pdf')).toBeInTheDocument();
  expect(screen.getByRole('alert')).toHaveTextContent(words);
  unmount();
  renderApp(<Viewer attachment={attachment({ previewAvailable: 'Failed', previewError: 'The file is protected by a password.' })} />);
  const failed = await screen.findByRole('alert');
  expect(failed).toHaveTextContent('There is no preview of this file');
  expect(failed).toHaveTextContent('The file is protected by a password.');
  expect(screen.getByRole('button', { name: 'Download the file' })).toBeInTheDocument();
});

test('a file whose name says something else than its content says so above its preview, or beside why it has none', async () => {
  const nameNote = 'Its name says this file is a PDF, but it contains a PNG image.';
  const { unmount } = renderApp(<Viewer attachment={attachment({ nameNote })} />);
  expect(await screen.findByText('Pages of Visit note.pdf')).toBeInTheDocument();
  expect(screen.getByRole('alert')).toHaveTextContent(nameNote);
  unmount();
  renderApp(<Viewer attachment={attachment({ previewAvailable: 'Failed', previewError: 'It is no picture.', nameNote })} />);
  expect(await screen.findByRole('alert')).toHaveTextContent(`It is no picture. ${nameNote}`);
});

test('a clinical document that cannot be shown says why its preview failed', async () => {
  refusal('get', '/api/messages/{id}/attachments/{attachmentId}', 409, { message: 'No.' });
  renderApp(<Viewer attachment={clinical({ previewAvailable: 'Failed', previewError: 'The document is not well-formed.' })} />);
  expect(await screen.findByRole('alert')).toHaveTextContent('The document is not well-formed.');
});
