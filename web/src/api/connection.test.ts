import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { noteReached, onReturn, watched } from './connection';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  noteReached();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});
const answer = (status: number) => async () => new Response(null, { status });
const lost = () => Promise.reject(new TypeError('Failed to fetch'));

test('a server that went away is looked for until it is there again, and that is told once', async () => {
  const back = vi.fn();
  const stop = onReturn(back);
  const fetch = vi.fn().mockImplementation(lost);
  vi.stubGlobal('fetch', fetch);
  await watched(lost).catch(() => undefined);
  await vi.advanceTimersByTimeAsync(7000);
  // At once, then after 1, 2 and 4 seconds.
  expect(fetch).toHaveBeenCalledTimes(4);
  fetch.mockImplementation(answer(200));
  await vi.advanceTimersByTimeAsync(8000);
  expect(back).toHaveBeenCalledTimes(1);
  const calls = fetch.mock.calls.length;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(fetch).toHaveBeenCalledTimes(calls);
  stop();
});

test('a server counts as away when a second call finds none, not when one call fails', async () => {
  const back = vi.fn();
  const stop = onReturn(back);
  const fetch = vi.fn().mockImplementation(answer(200));
  vi.stubGlobal('fetch', fetch);
  const failing = async (call: () => Promise<Response>) => {
    await watched(call).catch(() => undefined);
    await vi.advanceTimersByTimeAsync(0);
  };
  await failing(answer(403));
  await failing(() => Promise.reject(new DOMException('', 'AbortError')));
  expect(fetch).not.toHaveBeenCalled();
  await failing(lost);
  await failing(answer(502));
  noteReached();
  expect(fetch).toHaveBeenCalledTimes(2);
  expect(back).not.toHaveBeenCalled();
  fetch.mockImplementation(answer(502));
  await failing(answer(502));
  noteReached();
  expect(back).toHaveBeenCalledTimes(1);
  stop();
});
