import { act, renderHook } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { ApiError } from '@/api/client';
import { useAutosave } from './useAutosave';

/** Saves that end when they are told to. */
function held() {
  const ends: { ok: () => void; fail: () => void }[] = [];
  const refused = new ApiError(400, { modelState: { 'patient.telephone': ['Wrong'] } });
  const save = vi.fn<(value: string) => Promise<void>>(
    () => new Promise((resolve, reject) => ends.push({ ok: resolve, fail: () => reject(refused) })),
  );
  const { result } = renderHook(() => useAutosave(save));
  const queue = (value: string) => act(async () => result.current.queue(value, 'old'));
  const end = (n: number, how: 'ok' | 'fail') => act(async () => ends[n]![how]());
  return { save, result, queue, end };
}

test('what is typed back while its change is being saved is saved as well', async () => {
  const { save, queue, end, result } = held();
  await queue('new');
  await queue('old');
  await end(0, 'ok');
  await end(1, 'ok');
  expect(save.mock.calls).toEqual([['new'], ['old']]);
  await queue('old');
  expect(save).toHaveBeenCalledTimes(2);
  expect(result.current.state).toBe('saved');
});

test('what could not be saved is tried again when a field is left, and forgotten when it is taken back', async () => {
  const { save, queue, end, result } = held();
  await queue('wrong');
  await end(0, 'fail');
  expect(result.current.errors).toEqual({ telephone: 'Wrong' });
  await queue('wrong');
  await end(1, 'fail');
  expect(save).toHaveBeenCalledTimes(2);
  await queue('old');
  expect(save).toHaveBeenCalledTimes(2);
  expect(result.current.errors).toEqual({});
  expect(result.current.state).toBe('idle');
  expect(await result.current.flush()).toBe(true);
});

test('of those that wait only the latest is saved', async () => {
  const { save, queue, end } = held();
  for (const value of ['one', 'two', 'three']) await queue(value);
  await end(0, 'ok');
  await end(1, 'ok');
  expect(save.mock.calls).toEqual([['one'], ['three']]);
});
