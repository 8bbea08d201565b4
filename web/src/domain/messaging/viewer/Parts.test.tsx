import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import type { CachedDocument, FilePart } from '@/api/types';
import { saveFile } from '@/shared/saveFile';
import * as calls from './api';
import { WithParts } from './Parts';

vi.mock('@/shared/saveFile', () => ({ saveFile: vi.fn() }));
vi.mock('@/shared/hubs', () => ({ connectHub: () => ({ send: () => {}, close: () => {} }) }));
vi.mock('./PdfView', () => ({ PdfView: ({ name }: { name: string }) => <p>Pages of {name}</p> }));
vi.mock('./api', { spy: true });

const part = (over: Partial<FilePart>): FilePart => ({
  part: 1,
  fileName: 'Older.eml',
  title: '',
  mimeType: 'message/rfc822',
  sizeInBytes: 900,
  isPreviewable: true,
  hasParts: true,
  ...over,
});
const cached = (over: Partial<CachedDocument>): CachedDocument => ({
  cacheId: 'c1',
  fileName: 'Older.eml',
  mimeType: 'message/rfc822',
  sizeInBytes: 900,
  isPreviewable: true,
  hasParts: true,
  ...over,
});

const list = vi.spyOn(calls, 'partsQuery');
const open = vi.spyOn(calls, 'openPart');
const parts: Record<string, FilePart[]> = {
  m: [part({}), part({ part: 2, fileName: 'tool.bin', isPreviewable: false, hasParts: false })],
  c1: [part({ fileName: 'note.txt', title: 'Visit note', hasParts: false })],
};
const show = (hasParts = true) =>
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <MantineProvider env="test">
        <WithParts source={{ id: 'a', messageId: 'm' }} name="Results.eml" hasParts={hasParts}>
          <p>The mail itself</p>
        </WithParts>
      </MantineProvider>
    </QueryClientProvider>,
  );

beforeEach(() => {
  vi.clearAllMocks();
  list.mockImplementation((source) => {
    const key = 'cacheId' in source ? source.cacheId : source.messageId;
    return { queryKey: ['parts', key], queryFn: () => Promise.resolve(parts[key] ?? []) } as unknown as ReturnType<typeof calls.partsQuery>;
  });
  vi.spyOn(calls, 'cachedPdfQuery').mockImplementation(
    ({ cacheId }) =>
      ({ queryKey: ['pdf', cacheId], queryFn: () => Promise.resolve(new Blob(['%PDF'])) }) as unknown as ReturnType<
        typeof calls.cachedPdfQuery
      >,
  );
  open.mockImplementation((source) =>
    Promise.resolve('cacheId' in source ? cached({ cacheId: 'c2', fileName: 'note.txt', hasParts: false }) : cached({})),
  );
});

test('a file in a file takes its place, shows its own files, and the way back is there', async () => {
  show();
  const outer = await screen.findByRole('navigation', { name: 'Files in Results.eml' });
  expect(screen.getByText('The mail itself')).toBeTruthy();
  await userEvent.click(within(outer).getByRole('button', { name: /^Older\.eml/ }));
  expect(await screen.findByText('Pages of Older.eml')).toBeTruthy();
  const inner = await screen.findByRole('navigation', { name: 'Files in Older.eml' });
  await userEvent.click(within(inner).getByRole('button', { name: /^Visit note/ }));
  expect(await screen.findByText('Pages of note.txt')).toBeTruthy();
  expect(open).toHaveBeenLastCalledWith(expect.objectContaining({ cacheId: 'c1' }), 1);
  await userEvent.click(within(outer).getByRole('button', { name: 'Results.eml' }));
  expect(screen.getByText('The mail itself')).toBeTruthy();
});

test('a file that opens after the way back was taken does not replace the document', async () => {
  let finish: (document: CachedDocument) => void = () => {};
  const opened = new Promise<CachedDocument>((resolve) => (finish = resolve));
  open.mockReturnValue(opened);
  show();
  const outer = await screen.findByRole('navigation', { name: 'Files in Results.eml' });
  await userEvent.click(within(outer).getByRole('button', { name: /^Older\.eml/ }));
  await userEvent.click(within(outer).getByRole('button', { name: 'Results.eml' }));
  finish(cached({}));
  await act(() => opened);
  expect(screen.getByText('The mail itself')).toBeTruthy();
  expect(screen.queryByText('Pages of Older.eml')).toBeNull();
});

test('what has no preview is downloaded', async () => {
  vi.spyOn(calls, 'fetchCached').mockResolvedValue(new Blob(['x']));
  show();
  await userEvent.click(await screen.findByRole('button', { name: 'Download tool.bin' }));
  await vi.waitFor(() => expect(saveFile).toHaveBeenCalledWith(expect.any(Blob), 'tool.bin'));
  expect(screen.queryByRole('button', { name: /^tool\.bin/ })).toBeNull();
});

test('a file that carries none is shown alone, and nobody is asked', () => {
  show(false);
  expect(screen.getByText('The mail itself')).toBeTruthy();
  expect(screen.queryByRole('navigation')).toBeNull();
});
