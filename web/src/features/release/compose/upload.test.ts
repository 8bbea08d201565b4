import { describe, expect, test, vi } from 'vitest';
import { ApiError } from '@/api/client';
import { attachment } from '@/test/fixtures';
import { UploadCancelled } from '@/api/upload';
import { RETRY_AFTER_MS, TIMED_OUT, TRANSFORM_POLL_MS, uploadFile } from './upload';

const parts = (over: object = {}) => ({
  messageId: 'm1',
  file: new File(['x'], 'a.pdf'),
  meta: {},
  onProgress: () => {},
  signal: new AbortController().signal,
  fetchAttachment: vi.fn(async () => attachment()),
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
    const p = parts();
    await uploadFile(p, { send: async () => answer(201, attachment({ transformStatus: 'Pending' }), true), wait });
    expect(wait).toHaveBeenCalledExactlyOnceWith(RETRY_AFTER_MS);
    expect(p.fetchAttachment).toHaveBeenCalledExactlyOnceWith('a1');
  });
  test('waits 5 s at a time, at most 20 s, while the file is being changed (MSG-R-193, MSG-R-194)', async () => {
    const wait = vi.fn(async () => {});
    const pending = attachment({ transformStatus: 'Pending' });
    const run = uploadFile(parts({ fetchAttachment: async () => pending }), { send: async () => answer(201, pending), wait });
    await expect(run).rejects.toThrow(TIMED_OUT);
    expect(wait.mock.calls).toEqual([[TRANSFORM_POLL_MS], [TRANSFORM_POLL_MS], [TRANSFORM_POLL_MS], [TRANSFORM_POLL_MS]]);
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
