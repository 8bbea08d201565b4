import { describe, expect, test, vi } from 'vitest';
import { ApiError } from '@/api/client';
import { attachment } from '@/test/fixtures';
import { UploadCancelled } from '@/api/upload';
import { RETRY_AFTER_MS, uploadFile } from './upload';
import { TIMED_OUT } from './viewer/api';

vi.mock('@/shared/hubs', () => ({ connectHub: () => ({ send: () => {}, close: () => {} }) }));

const parts = (over: object = {}) => ({
  messageId: 'm1',
  file: new File(['x'], 'a.pdf'),
  meta: {},
  onProgress: () => {},
  signal: new AbortController().signal,
  ...over,
});
const answer = (status: number, body: unknown, retryAfter = false) => ({ status, body, retryAfter });

describe('uploading a file', () => {
  test('answers the attachment (MSG-R-251)', async () => {
    const send = vi.fn(async () => answer(201, attachment()));
    expect(await uploadFile(parts(), { send, wait: async () => {} })).toEqual(attachment());
    expect(send).toHaveBeenCalledTimes(1);
  });
  test('fetches the attachment again after 500 ms when the server asks for it (MSG-R-252)', async () => {
    const wait = vi.fn(async () => {});
    const fetchAttachment = vi.fn(async () => attachment());
    await uploadFile(parts(), { fetchAttachment, send: async () => answer(201, attachment({ transformStatus: 'Pending' }), true), wait });
    expect(wait).toHaveBeenCalledExactlyOnceWith(RETRY_AFTER_MS);
    expect(fetchAttachment).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ id: 'a1' }));
  });
  test('waits 5 s at a time, at most 20 s, while the file is being changed (MSG-R-193, MSG-R-194)', async () => {
    vi.useFakeTimers();
    const pending = attachment({ transformStatus: 'Pending' });
    const fetchAttachment = vi.fn(async () => pending);
    const run = uploadFile(parts(), { fetchAttachment, send: async () => answer(201, pending) });
    const ended = run.catch((error: unknown) => String(error));
    await vi.advanceTimersByTimeAsync(4_900);
    expect(fetchAttachment).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(15_100);
    expect(await ended).toContain(TIMED_OUT);
    expect(fetchAttachment).toHaveBeenCalledTimes(4);
    vi.useRealTimers();
  });
  test('sends again when the server is busy, three times in all', async () => {
    const send = vi.fn(async () => answer(503, {}, true));
    await expect(uploadFile(parts(), { send, wait: async () => {} })).rejects.toBeInstanceOf(ApiError);
    expect(send).toHaveBeenCalledTimes(3);
  });
  test('hands on why it was refused', async () => {
    const send = async () => answer(422, { modelState: { file: ['File is empty. Please upload something more substantial.'] } });
    await expect(uploadFile(parts(), { send })).rejects.toMatchObject({
      modelState: { file: ['File is empty. Please upload something more substantial.'] },
    });
  });
  test('ends when it is cancelled between two attempts', async () => {
    const abort = new AbortController();
    const send = vi.fn(async () => answer(503, {}, true));
    const run = uploadFile(parts({ signal: abort.signal }), { send, wait: async () => abort.abort() });
    await expect(run).rejects.toBeInstanceOf(UploadCancelled);
    expect(send).toHaveBeenCalledTimes(1);
  });
});
