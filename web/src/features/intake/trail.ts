import { useSyncExternalStore } from 'react';
import type { IntakeItem, IntakeRequest } from '@/api/types';
import { fetchIntake } from '@/domain/messaging/intakeList';

/** The displayed details of an upcoming message. */
type Stop = Pick<IntakeItem, 'id' | 'subject' | 'patientName' | 'sourceType' | 'fromName' | 'fromAddress'>;

/**
 * The list that a message was opened from: navigation follows its order and filters. It loads further pages before its end is
 * reached.
 */
type Trail = {
  request: IntakeRequest;
  optimized: boolean;
  stops: Stop[];
  /** The number of the list's messages before the first stop. */
  offset: number;
  total: number;
  capped: boolean;
  /** Messages that are done since the list was left. */
  done: ReadonlySet<string>;
  isComplete: boolean;
  /** The list itself is the page before. */
  isBehind: boolean;
};

/** Maximum number of messages per call. */
const READ_AHEAD = 100;
/** The next page is loaded when this many stops are left. */
const FEW = 6;
const SHOWN_NEXT = 5;

let trail: Trail | null = null;
const listeners = new Set<() => void>();
const set = (next: Trail | null) => {
  trail = next;
  for (const listener of listeners) listener();
};
const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

type Left = Pick<Trail, 'request' | 'optimized' | 'stops' | 'offset' | 'total' | 'capped'>;
const begin = (left: Left, isBehind: boolean) =>
  set({ ...left, isBehind, done: new Set(), isComplete: !left.capped && left.offset + left.stops.length >= left.total });
export const leaveTrail = (left: Left) => begin(left, true);

const marked = (id: string, isDone: boolean) => {
  if (!trail) return;
  const done = new Set(trail.done);
  if (isDone) done.add(id);
  else done.delete(id);
  set({ ...trail, done });
};
export const markDone = (id: string) => marked(id, true);
export const markOpen = (id: string) => marked(id, false);

/** Position of a message in the trail. */
function placeIn(of: Trail | null, id: string) {
  const at = of?.stops.findIndex((stop) => stop.id === id) ?? -1;
  if (!of || at < 0) return null;
  const open = (stops: Stop[]) => stops.filter((stop) => !of.done.has(stop.id));
  const behind = open(of.stops.slice(at + 1));
  return {
    position: of.offset + at + 1,
    total: Math.max(of.total, of.offset + of.stops.length),
    capped: of.capped,
    isBehind: of.isBehind,
    previousId: of.stops[at - 1]?.id ?? null,
    nextId: of.stops[at + 1]?.id ?? null,
    /** The next message that is not done: after this one, else one that was skipped. */
    nextOpenId: (behind[0] ?? open(of.stops.slice(0, at))[0])?.id ?? null,
    upNext: behind.slice(0, SHOWN_NEXT),
    left: behind.length + (of.isComplete ? 0 : Math.max(0, of.total - of.offset - of.stops.length)),
    isEnding: !of.isComplete && of.stops.length - at <= FEW,
  };
}
export type Place = NonNullable<ReturnType<typeof placeIn>>;

export const placeOf = (id: string) => placeIn(trail, id);

export function usePlace(id: string): Place | null {
  const current = useSyncExternalStore(subscribe, () => trail);
  return placeIn(current, id);
}

/** Loads the messages after the last stop. Processed messages may have left the list, so pages overlap. */
export async function readOn(fetch = fetchIntake) {
  const from = trail;
  if (!from || from.isComplete) return;
  const known = new Set(from.stops.map((stop) => stop.id));
  let page = Math.floor(Math.max(0, from.offset + from.stops.length - from.done.size) / READ_AHEAD) + 1;
  let fresh: Stop[] = [];
  let isComplete = false;
  while (fresh.length === 0 && !isComplete) {
    const { items } = await fetch({ ...from.request, cursor: undefined, pageStart: page++, pageSize: READ_AHEAD }, from.optimized);
    fresh = items.filter((item) => !known.has(item.id));
    isComplete = items.length < READ_AHEAD;
  }
  if (trail?.request !== from.request) return;
  set({ ...trail, stops: [...trail.stops, ...fresh.filter((f) => !trail!.stops.some((s) => s.id === f.id))], isComplete });
}

/** Makes the default list the trail of a message opened by its URL, if the list contains it. */
export async function findTrail(id: string, request: IntakeRequest, optimized: boolean, fetch = fetchIntake) {
  const { items, totalCount, totalIsCapped } = await fetch({ ...request, pageStart: 1, pageSize: READ_AHEAD }, optimized);
  if (placeOf(id) || !items.some((item) => item.id === id)) return;
  begin({ request, optimized, stops: items, offset: 0, total: totalCount ?? items.length, capped: Boolean(totalIsCapped) }, false);
}
