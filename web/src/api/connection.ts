import { useSyncExternalStore } from 'react';
import { whileBusy } from './busy';

/** Tracks whether the server is reachable. */

/** Since when the server is away; null while it is reachable. */
let awaySince: Date | null = null;
const listeners = new Set<() => void>();
const returns = new Set<() => void>();
let probe: ReturnType<typeof setTimeout> | undefined;

const FIRST_PROBE_MS = 1000;
const LONGEST_PROBE_MS = 8000;

/** Status codes of a proxy whose server is down. */
const GATEWAY = [502, 503, 504];

/** Probes the server with a small public call. */
async function isThere() {
  try {
    return !GATEWAY.includes((await globalThis.fetch('/api/branding')).status);
  } catch {
    return false;
  }
}

/** Probes until the server is back; any other successful call ends this too. */
function look(delay: number) {
  probe = setTimeout(async () => {
    if (await isThere()) noteReached();
    else if (awaySince) look(Math.min(delay * 2, LONGEST_PROBE_MS));
  }, delay);
}

export function noteAway(since = new Date()) {
  if (awaySince) return;
  awaySince = since;
  for (const l of listeners) l();
  look(FIRST_PROBE_MS);
}

export function noteReached() {
  if (!awaySince) return;
  awaySince = null;
  clearTimeout(probe);
  for (const l of [...listeners, ...returns]) l();
}

let isChecking = false;
/** A single call may fail for its own reasons; the server is away if a probe fails too. */
async function check() {
  if (awaySince || isChecking) return;
  const since = new Date();
  isChecking = true;
  const there = await isThere();
  isChecking = false;
  if (!there) noteAway(since);
}

/** Runs a call and tracks whether the server was reached. */
export async function watched(call: () => Promise<Response>): Promise<Response> {
  try {
    const response = await whileBusy(call);
    if (GATEWAY.includes(response.status)) void check();
    else noteReached();
    return response;
  } catch (error) {
    // An aborted call says nothing about the server.
    if (error instanceof TypeError) void check();
    throw error;
  }
}

/** Registers a listener for when the server is reachable again. */
export function onReturn(listener: () => void) {
  returns.add(listener);
  return () => void returns.delete(listener);
}

const subscribe = (l: () => void) => {
  listeners.add(l);
  return () => void listeners.delete(l);
};
export const useAwaySince = () => useSyncExternalStore(subscribe, () => awaySince);
