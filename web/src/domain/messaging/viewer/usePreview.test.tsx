import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act, renderHook } from '@testing-library/react';
import type { ReactNode } from 'react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Attachment } from '@/api/types';
import { attachment } from '@/test/fixtures';
import { messageKey } from '../api';
import * as calls from './api';
import { usePreview } from './usePreview';

const hub = vi.hoisted(() => ({ frame: (() => {}) as (frame: object) => void, sent: [] as object[] }));
vi.mock('@/shared/hubs', () => ({
  connectHub: (_name: string, { onFrame, onOpen }: { onFrame: (f: object) => void; onOpen: () => void }) => {
    hub.frame = onFrame;
    queueMicrotask(onOpen);
    return { send: (f: object) => hub.sent.push(f), close: () => {} };
  },
}));
const generate = vi.spyOn(calls, 'generatePreview');
const ask = vi.spyOn(calls, 'getMetadata');

const client = new QueryClient();
const wrapper = ({ children }: { children: ReactNode }) => <QueryClientProvider client={client}>{children}</QueryClientProvider>;
const scan = (over: Partial<Attachment>) =>
  attachment({ fileName: 'Scan.tif', mimeType: 'image/tiff', ...over }) as Awaited<ReturnType<typeof calls.getMetadata>>;
/** The hook on an attachment that changes only through the message in the cache. */
const follow = (over: Partial<Attachment>) => {
  const first = scan(over);
  client.setQueryData(messageKey('m1'), { attachments: [first] });
  const latest = () => client.getQueryData<{ attachments: Attachment[] }>(messageKey('m1'))!.attachments[0]!;
  const hook = renderHook(() => usePreview(latest()), { wrapper });
  const pass = async (ms: number) => {
    await act(() => vi.advanceTimersByTimeAsync(ms));
    hook.rerender();
  };
  return { ...hook, pass, first };
};

beforeEach(() => {
  vi.useFakeTimers();
  generate.mockReset();
  ask.mockReset();
  generate.mockResolvedValue(scan({ previewAvailable: 'Processing' }));
  hub.sent = [];
});
afterEach(() => {
  vi.useRealTimers();
});

test('a preview that is not there is asked for and looked for every 2 s until it is ready (MSG-R-188, MSG-R-189, MSG-R-191)', async () => {
  const { result, pass, first } = follow({ previewAvailable: 'NotRequested' });
  ask.mockResolvedValue({ ...first, previewAvailable: 'Processing' });
  expect(result.current.state).toBe('waiting');
  await pass(1900);
  expect(generate).toHaveBeenCalledTimes(1);
  expect(ask).not.toHaveBeenCalled();
  await pass(200);
  expect(ask).toHaveBeenCalledTimes(1);
  ask.mockResolvedValue({ ...first, previewAvailable: 'Available' });
  await pass(2000);
  expect(result.current.state).toBe('ready');
  await pass(10_000);
  expect(ask).toHaveBeenCalledTimes(2);
});

test('the looking ends after 15 times, with a text and a way to try again (MSG-R-190, MSG-T-047)', async () => {
  const { result, pass, first } = follow({ previewAvailable: 'Processing' });
  ask.mockResolvedValue({ ...first, previewAvailable: 'Processing' });
  await pass(31_000);
  expect(ask).toHaveBeenCalledTimes(15);
  await pass(2000);
  expect(result.current).toMatchObject({ state: 'failed', reason: 'The request timed out. Please try again.' });
});

test('a preview that failed is not asked for (MSG-R-192, MSG-R-148)', async () => {
  const { result, pass } = follow({ previewAvailable: 'Failed', previewError: 'The file is damaged.' });
  await pass(5000);
  expect(result.current).toMatchObject({ state: 'failed', reason: 'The file is damaged.' });
  expect(generate).not.toHaveBeenCalled();
  expect(ask).not.toHaveBeenCalled();
});

test('a file that is being changed is looked at every 5 s, up to 20 s (MSG-R-149, MSG-R-193, MSG-R-194, MSG-R-195)', async () => {
  const { result, pass, first } = follow({ previewAvailable: 'Available', transformStatus: 'Pending' });
  ask.mockResolvedValue({ ...first, transformStatus: 'Pending' });
  await pass(4900);
  expect(ask).not.toHaveBeenCalled();
  await pass(15_200);
  expect(ask).toHaveBeenCalledTimes(4);
  await pass(5000);
  expect(ask).toHaveBeenCalledTimes(4);
  expect(result.current).toMatchObject({ state: 'failed', reason: 'The request timed out. Please try again.' });
});

test('the channel of document processing is told what is waited for, and its word is looked after at once (MSG-R-197, SES-R-228)', async () => {
  const { result, pass, first } = follow({ previewAvailable: 'Processing' });
  await pass(10);
  expect(hub.sent).toEqual([{ type: 'waitFor', attachmentId: first.id }]);
  ask.mockResolvedValue({ ...first, previewAvailable: 'Available' });
  act(() => hub.frame({ type: 'completed', attachmentId: first.id }));
  await pass(10);
  expect(ask).toHaveBeenCalledTimes(1);
  expect(result.current.state).toBe('ready');
});

test('a file that is being checked for malware is not asked for, and says why it cannot be opened', async () => {
  const { result, pass, first } = follow({ mimeType: 'application/pdf', scanStatus: 'Waiting', previewAvailable: 'Processing' });
  ask.mockResolvedValue(first);
  expect(result.current).toEqual({ state: 'waiting' });
  await pass(60_000);
  expect(result.current).toMatchObject({ state: 'failed', reason: expect.stringContaining('checked for malware') });
  expect(generate).not.toHaveBeenCalled();
});
