import { useState, useRef } from 'react';
import { ApiError } from '@/api/client';
import type { Batch } from '@/api/types';
import { useAutosave } from '@/domain/messaging/useAutosave';
import { savePlan } from './api';
import {
  begin,
  change,
  errorsOf,
  type History,
  keyOf,
  type Page,
  type PageKey,
  pagesBetween,
  pagesInOrder,
  type Plan,
  planOf,
  redo,
  toSend,
  undo,
} from './plan';

const NO_ERRORS = errorsOf({ parts: [], leftOut: [] }, {});
const textOf = (plan: Plan) => JSON.stringify(toSend(plan));

export type Board = ReturnType<typeof useBoard>;

/** The plan of a batch during editing: saved automatically, undone step by step. */
export function useBoard(batch: Batch) {
  const [history, setHistory] = useState<History>(() => begin(planOf(batch)));
  const latest = useRef(history);
  const saved = useRef({ text: textOf(history.now), version: batch.version });
  const [isOutdated, setOutdated] = useState(false);
  const [said, say] = useState('');
  const [errors, setErrors] = useState(NO_ERRORS);
  const typing = useRef<string | null>(null);

  const autosave = useAutosave<Plan>({
    pending: () => (textOf(latest.current.now) === saved.current.text ? null : latest.current.now),
    save: async (plan) => {
      try {
        const { version } = await savePlan(batch.id, plan, saved.current.version);
        saved.current = { text: textOf(plan), version };
        setErrors(NO_ERRORS);
      } catch (error) {
        if (error instanceof ApiError && error.status === 409) setOutdated(true);
        if (error instanceof ApiError) setErrors(errorsOf(plan, error.modelState ?? {}));
        throw error;
      }
    },
  });
  const put = (next: History) => {
    if (next === latest.current) return;
    latest.current = next;
    setHistory(next);
    autosave.later();
  };
  /**
   * Changes the plan; `what` is announced to screen readers and shown beside Undo. Changes under the same `field` are undone
   * together.
   */
  const act = (make: (plan: Plan) => Plan, what: string, field: string | null = null) => {
    const now = latest.current.now;
    const plan = make(now);
    if (plan === now) return false;
    put(change(latest.current, plan, field !== null && typing.current === field));
    typing.current = field;
    say(what);
    return true;
  };
  const step = (move: (history: History) => History, what: string) => {
    typing.current = null;
    const next = move(latest.current);
    if (next.now === latest.current.now) return;
    put(next);
    say(what);
  };
  return {
    plan: history.now,
    steps: history.past.length,
    canRedo: history.future.length > 0,
    act,
    undo: () => step(undo, 'Undone'),
    redo: () => step(redo, 'Done again'),
    said,
    saving: autosave.state,
    /** The reason why the plan could not be saved. */
    errors,
    isOutdated,
    isDirty: () => textOf(latest.current.now) !== saved.current.text,
    /** Saves pending changes; answers the version to continue from, or null on failure. */
    flush: async () => ((await autosave.flush()) ? saved.current.version : null),
  };
}

/** The selected pages: by click, with Ctrl one more, with Shift a range; by arrows likewise. */
export function usePageSelection(plan: Plan) {
  const [keys, setKeys] = useState<ReadonlySet<PageKey>>(new Set());
  const [cursor, setCursor] = useState<PageKey | null>(null);
  const [anchor, setAnchor] = useState<PageKey | null>(null);
  const all = pagesInOrder(plan);
  const order = all.map(keyOf);
  const there = new Set(order);
  const selected = new Set([...keys].filter((k) => there.has(k)));
  const at = cursor !== null && there.has(cursor) ? cursor : (order[0] ?? null);
  const choose = (key: PageKey, how: 'only' | 'add' | 'range') => {
    setCursor(key);
    if (how === 'range') {
      setKeys(new Set(pagesBetween(plan, anchor !== null && there.has(anchor) ? anchor : (at ?? key), key)));
      return;
    }
    setAnchor(key);
    if (how === 'only') setKeys(new Set([key]));
    else {
      const next = new Set(selected);
      if (!next.delete(key)) next.add(key);
      setKeys(next);
    }
  };
  /** Moves the cursor; with Shift the selection grows along. */
  const step = (by: number, extend: boolean): PageKey | null => {
    const index = order.indexOf(at ?? '');
    const next = order[Math.min(order.length - 1, Math.max(0, index + by))];
    if (next === undefined) return null;
    choose(next, extend ? 'range' : 'only');
    return next;
  };
  const page: Page | undefined = all.find((p) => keyOf(p) === at);
  return {
    selected,
    cursor: at,
    page,
    index: at === null ? -1 : order.indexOf(at),
    count: order.length,
    choose,
    step,
    clear: () => setKeys(new Set()),
    /** The target of an act: the selected pages, otherwise the one with the cursor. */
    targets: selected.size > 0 ? selected : new Set(at === null ? [] : [at]),
  };
}

export type Selection = ReturnType<typeof usePageSelection>;
