import type { KeyboardEvent, MouseEvent } from 'react';
import type { BatchFile } from '@/api/types';
import { plural } from '@/shared/format';
import {
  keyOf,
  leaveOut,
  mergeUp,
  moveTo,
  type PageKey,
  pagesInOrder,
  type Part,
  partOf,
  rotate,
  shift,
  splitBefore,
  straighten,
  type Target,
} from './plan';
import type { Board, Selection } from './useBoard';

const thumbs = () => [...document.querySelectorAll<HTMLElement>('.tri-thumb[data-page]')];
export function focusPage(key: PageKey | null) {
  const thumb = thumbs().find((t) => t.dataset.page === key);
  thumb?.focus();
  thumb?.scrollIntoView({ block: 'nearest' });
}

/** The page above or below on the screen. */
function pageInRow(key: PageKey, down: boolean): PageKey | null {
  const all = thumbs().map((t) => ({ key: t.dataset.page!, box: t.getBoundingClientRect() }));
  const own = all.find((t) => t.key === key)?.box;
  if (!own) return null;
  const beyond = all.filter((t) => (down ? t.box.top > own.top + 8 : t.box.top < own.top - 8));
  const row = down ? Math.min(...beyond.map((t) => t.box.top)) : Math.max(...beyond.map((t) => t.box.top));
  const inRow = beyond.filter((t) => Math.abs(t.box.top - row) < 8);
  return inRow.toSorted((a, b) => Math.abs(a.box.left - own.left) - Math.abs(b.box.left - own.left))[0]?.key ?? null;
}

export const pagesOf = (keys: ReadonlySet<PageKey>) => plural(keys.size, 'page');

export type PageActs = ReturnType<typeof pageActs>;

/** Actions of buttons and keys on the selected pages, or on the one with the cursor. */
export function pageActs({ plan, act }: Board, selection: Selection, files: ReadonlyMap<number, BatchFile>) {
  const { cursor, targets } = selection;
  const isWhole = (key: PageKey) => files.get(Number(key.split(':')[0]))?.isWhole ?? false;
  const holdsWhole = (part: Part) => part.pages.some((p) => isWhole(keyOf(p)));
  const movable = new Set([...targets].filter((key) => !isWhole(key)));
  const current = cursor === null ? undefined : partOf(plan, cursor);

  const split = (key: PageKey | null) => {
    if (key === null || !act((p) => splitBefore(p, key), `Split before page ${key.split(':')[1]}`)) return;
    selection.choose(key, 'only');
    // It is rendered again in the document below, and the arrows continue from there.
    requestAnimationFrame(() => focusPage(key));
  };
  const canMerge = (at: number) => at > 0 && !holdsWhole(plan.parts[at]!) && !holdsWhole(plan.parts[at - 1]!);
  const merge = (partKey: number) => {
    const at = plan.parts.findIndex((p) => p.key === partKey);
    if (!canMerge(at)) return;
    act((p) => mergeUp(p, partKey), `Documents ${at} and ${at + 1} merged`);
  };
  const turn = () => act((p) => rotate(p, movable), `${pagesOf(movable)} rotated`);
  const level = () => act((p) => straighten(p, movable), `${pagesOf(movable)} straightened or restored`);
  const remove = () => {
    const order = pagesInOrder(plan).map(keyOf);
    const last = Math.max(...[...targets].map((key) => order.indexOf(key)));
    const next = order.slice(last + 1).find((key) => !targets.has(key)) ?? order.slice(0, last).findLast((key) => !targets.has(key));
    if (act((p) => leaveOut(p, targets), `${pagesOf(targets)} left out`)) {
      if (next) selection.choose(next, 'only');
      requestAnimationFrame(() => focusPage(next ?? null));
    }
  };
  const move = (target: Target) => {
    const goal = target === 'new' ? undefined : plan.parts.find((p) => p.key === target.part);
    if (movable.size > 0 && !(goal && holdsWhole(goal))) act((p) => moveTo(p, movable, target), `${pagesOf(movable)} moved`);
  };
  const push = (by: 1 | -1) => {
    if (act((p) => shift(p, movable, by), `${pagesOf(movable)} moved`)) requestAnimationFrame(() => focusPage(cursor));
  };
  return {
    /** The document with the cursor. */
    current,
    canSplit: current !== undefined && keyOf(current.pages[0]!) !== cursor,
    /** The file of the document cannot be split. */
    holdsWhole,
    canMove: movable.size > 0,
    split,
    canMerge,
    merge,
    turn,
    level,
    remove,
    move,
    push,
  };
}

/** The way a click selects a page. `adds`: it adds one more, as with Ctrl. */
export const chooseByClick = (selection: Selection, adds: boolean) => (key: PageKey, e: MouseEvent) =>
  selection.choose(key, e.shiftKey ? 'range' : e.ctrlKey || e.metaKey || adds ? 'add' : 'only');

/** The keys of a page that has the focus. */
export const pageKeys = (selection: Selection, split: (key: PageKey) => void) => (e: KeyboardEvent, key: PageKey) => {
  const go = (next: PageKey | null) => {
    e.preventDefault();
    focusPage(next);
  };
  if (e.altKey || e.ctrlKey || e.metaKey) return;
  if (e.key === 'ArrowRight' || e.key === 'ArrowLeft') go(selection.step(e.key === 'ArrowRight' ? 1 : -1, e.shiftKey));
  else if (e.key === 'ArrowDown' || e.key === 'ArrowUp') {
    const next = pageInRow(key, e.key === 'ArrowDown');
    if (next !== null) selection.choose(next, e.shiftKey ? 'range' : 'only');
    go(next);
  } else if (e.key === 'Home' || e.key === 'End') go(selection.step(e.key === 'Home' ? -Infinity : Infinity, e.shiftKey));
  else if (e.key === ' ') {
    e.preventDefault();
    selection.choose(key, 'add');
  } else if (e.key === 'Enter') {
    e.preventDefault();
    split(key);
  }
};
