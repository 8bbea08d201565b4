import { act, renderHook } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ApiError } from '@/api/client';
import { noteReached, noteAway } from '@/api/connection';
import { PAUSE_MS, useAutosave } from './useAutosave';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  noteReached();
  vi.useRealTimers();
});

/** A field with a typed and a saved value; the test ends each save. */
function field(saved = 'old') {
  const server = { typed: saved, saved };
  const ends: { ok: () => void; fail: (why: unknown) => void }[] = [];
  const save = vi.fn<(value: string) => Promise<void>>(
    (value) => new Promise((resolve, reject) => ends.push({ ok: () => ((server.saved = value), resolve()), fail: reject })),
  );
  const { result } = renderHook(() => useAutosave({ pending: () => (server.typed === server.saved ? null : server.typed), save }));
  const type = (value: string) =>
    act(async () => {
      server.typed = value;
      result.current.later();
    });
  const leave = () => act(async () => result.current.now());
  const wait = (ms: number) => act(async () => void (await vi.advanceTimersByTimeAsync(ms)));
  const ok = () => act(async () => ends.at(-1)!.ok());
  const fail = (why: unknown) => act(async () => ends.at(-1)!.fail(why));
  return { save, result, type, leave, wait, ok, fail };
}
const gone = new TypeError('Failed to fetch');
const refused = new ApiError(422, { modelState: { 'patient.telephone': ['Wrong'] } });

test('what is typed after a save is not called saved', async () => {
  const { result, type, wait, ok } = field();
  await type('n');
  await wait(PAUSE_MS);
  await ok();
  expect(result.current.state).toBe('saved');
  await type('ne');
  expect(result.current.state).toBe('idle');
});

test('what is typed is saved once typing pauses, without leaving the field', async () => {
  const { save, type, wait } = field();
  await type('n');
  await wait(PAUSE_MS - 1);
  await type('ne');
  await wait(PAUSE_MS - 1);
  expect(save).not.toHaveBeenCalled();
  await wait(1);
  expect(save.mock.calls).toEqual([['ne']]);
});

test('what is typed while a save is under way is saved after it, and of several only the latest', async () => {
  const { save, type, leave, ok, result } = field();
  for (const value of ['one', 'two', 'three']) {
    await type(value);
    await leave();
  }
  await ok();
  await ok();
  expect(save.mock.calls).toEqual([['one'], ['three']]);
  expect(result.current.state).toBe('saved');
});

test('a save that failed is tried again by itself, and a flush never stays dead', async () => {
  const { save, type, leave, wait, ok, fail, result } = field();
  await type('new');
  await leave();
  await fail(gone);
  expect(result.current.state).toBe('retrying');
  await wait(1300);
  expect(save).toHaveBeenCalledTimes(2);
  await fail(new ApiError(503, {}));
  let left: Promise<boolean>;
  await act(async () => {
    left = result.current.flush();
  });
  expect(save).toHaveBeenCalledTimes(3);
  await ok();
  expect(await left!).toBe(true);
  expect(result.current.state).toBe('saved');
});

test('a save that waits is tried as soon as the server is there again', async () => {
  const { save, type, leave, ok, fail, result } = field();
  await type('new');
  await leave();
  act(() => noteAway());
  await fail(gone);
  await act(async () => noteReached());
  expect(save).toHaveBeenCalledTimes(2);
  await ok();
  expect(result.current.state).toBe('saved');
});

test('an error of the server stays under its field until the value changes, and is forgotten when the change is undone', async () => {
  const { save, type, leave, wait, fail, result } = field();
  await type('wrong');
  await leave();
  await fail(refused);
  expect(result.current).toMatchObject({ state: 'failed', errors: { telephone: 'Wrong' } });
  await wait(60_000);
  expect(save).toHaveBeenCalledTimes(1);
  await type('old');
  await leave();
  expect(result.current).toMatchObject({ state: 'idle', errors: {} });
  expect(await act(() => result.current.flush())).toBe(true);
});
