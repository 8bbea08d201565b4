import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { setToken } from '@/api/token';
import { answer, refusal } from '@/test/answers';
import { backOff, connectHub, type Hub } from './hubs';

/** A connection as the browser would make it. */
class Socket {
  static all: Socket[] = [];
  static OPEN = 1;
  readyState = 1;
  sent: unknown[] = [];
  onopen = () => {};
  onclose = () => {};
  onmessage: (e: { data: string }) => void = () => {};
  constructor() {
    Socket.all.push(this);
  }
  send = (text: string) => this.sent.push(JSON.parse(text));
  /** The network behind it may be gone, so that nothing answers. */
  close = () => {};
  hear = (type: string) => this.onmessage({ data: JSON.stringify({ type }) });
}

let hub: Hub | undefined;
beforeEach(() => {
  Socket.all = [];
  vi.stubGlobal('WebSocket', Socket);
  vi.useFakeTimers({ shouldAdvanceTime: true });
  setToken({ accessToken: 't', expiresIn: 9000 });
});
afterEach(() => {
  hub?.close();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});
const opened = (n: number) => vi.waitFor(() => expect(Socket.all).toHaveLength(n));

test('a connection on which nothing is heard for a minute is made anew, and what was missed is read again', async () => {
  answer('post', '/api/account/hubticket', { ticket: 'one', expiresIn: 30 });
  const listening = vi.fn();
  hub = connectHub('events', { onFrame: () => {}, onListening: listening });
  await opened(1);
  Socket.all[0]!.onopen();
  expect(Socket.all[0]!.sent).toEqual([{ ticket: 'one' }]);
  Socket.all[0]!.hear('alive');
  await vi.advanceTimersByTimeAsync(40_000);
  Socket.all[0]!.hear('alive');
  expect(listening).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(59_000);
  expect(Socket.all).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(3000);
  await opened(2);
  Socket.all[1]!.hear('alive');
  expect(listening).toHaveBeenCalledTimes(2);
});

test('a connection without a ticket is tried again', async () => {
  const refused = refusal('post', '/api/account/hubticket', 503);
  hub = connectHub('events', { onFrame: () => {} });
  await vi.waitFor(() => expect(refused).toHaveLength(1));
  answer('post', '/api/account/hubticket', { ticket: 'two', expiresIn: 30 });
  await vi.advanceTimersByTimeAsync(1500);
  await opened(1);
});

test('a lost connection reconnects after 1 s, then after longer and longer times up to 30 s', () => {
  expect([0, 1, 2, 3, 10].map((n) => backOff(n, 0))).toEqual([1000, 2000, 4000, 8000, 30_000]);
  expect(backOff(0, 1)).toBe(1250);
});
