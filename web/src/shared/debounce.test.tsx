import { act, renderHook } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { useDebounced, useDebouncedCall } from './debounce';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});
const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
const isBusy = () => 'busy' in document.documentElement.dataset;

test('a value follows once it rests, and the page is busy until then', async () => {
  const { result, rerender } = renderHook(({ words }) => useDebounced(words, 300), { initialProps: { words: 'a' } });
  rerender({ words: 'ab' });
  expect(isBusy()).toBe(true);
  await pass(200);
  rerender({ words: 'abc' });
  await pass(200);
  expect(result.current).toBe('a');
  await pass(200);
  expect(result.current).toBe('abc');
  await pass(100);
  expect(isBusy()).toBe(false);
});

test('of several calls the last one runs after the pause', async () => {
  const call = vi.fn();
  const { result } = renderHook(() => useDebouncedCall(call, 300));
  result.current[0]('a');
  await pass(200);
  result.current[0]('b');
  expect(isBusy()).toBe(true);
  await pass(400);
  expect(call.mock.calls).toEqual([['b']]);
  expect(isBusy()).toBe(false);
});

test('calls that never pause run after the longest wait', async () => {
  const call = vi.fn();
  const { result } = renderHook(() => useDebouncedCall(call, { delay: 300, maxWait: 1000 }));
  for (let i = 0; i < 6; i++) {
    result.current[0](i);
    await pass(200);
  }
  expect(call).toHaveBeenCalledOnce();
});

test('a call that waits is dropped with its component or by cancelling, and the page is quiet', async () => {
  const call = vi.fn();
  const { result, unmount } = renderHook(() => useDebouncedCall(call, 300));
  result.current[0]('a');
  result.current[1]();
  await pass(400);
  expect(isBusy()).toBe(false);
  result.current[0]('b');
  unmount();
  await pass(400);
  expect(call).not.toHaveBeenCalled();
  expect(isBusy()).toBe(false);
});
