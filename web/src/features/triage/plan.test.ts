import { expect, test } from 'vitest';
import {
  begin,
  change,
  errorsOf,
  followingName,
  keep,
  keyOf,
  leaveOut,
  mergeUp,
  moveTo,
  type Plan,
  pagesBetween,
  planOf,
  redo,
  rotate,
  shift,
  splitBefore,
  straighten,
  toSend,
  undo,
} from './plan';

const page = (n: number) => ({ file: 0, page: n, turn: 0, straighten: false });
const plan = (...parts: number[][]) =>
  planOf({ parts: parts.map((pages, i) => ({ name: `Part ${'ABC'[i]}`, pages: pages.map(page) })), leftOut: [] });
const shape = (p: Plan) => p.parts.map((part) => part.pages.map((x) => x.page));
const keys = (...pages: number[]) => new Set(pages.map((n) => keyOf(page(n))));

test('a document is split before a page, and merged with the one above', () => {
  const split = splitBefore(plan([1, 2, 3], [4]), '0:2');
  expect(shape(split)).toEqual([[1], [2, 3], [4]]);
  expect(split.parts[1]!.name).toBe('Part A (2)');
  expect(shape(mergeUp(split, split.parts[1]!.key))).toEqual([[1, 2, 3], [4]]);
});

test('the first page of a document splits nothing, and the first document has none above', () => {
  const whole = plan([1, 2]);
  expect(splitBefore(whole, '0:1')).toBe(whole);
  expect(mergeUp(whole, whole.parts[0]!.key)).toBe(whole);
});

test('pages that are left out can be kept again where they were', () => {
  const out = leaveOut(plan([1, 2, 3], [4]), keys(2, 4));
  expect(shape(out)).toEqual([[1, 3]]);
  expect(out.leftOut.map((p) => p.page)).toEqual([2, 4]);
  expect(shape(keep(out, keys(2)))).toEqual([[1, 2, 3]]);
  const first = leaveOut(plan([1], [2]), keys(1));
  expect(shape(keep(first, keys(1)))).toEqual([[1], [2]]);
});

test('pages move before a page, to the end of a document, and into a new one', () => {
  const two = plan([1, 2, 3], [4, 5]);
  const [a, b] = two.parts.map((p) => p.key) as [number, number];
  expect(shape(moveTo(two, keys(1, 3), { part: b, before: '0:5' }))).toEqual([[2], [4, 1, 3, 5]]);
  expect(shape(moveTo(two, keys(1), { part: a }))).toEqual([
    [2, 3, 1],
    [4, 5],
  ]);
  expect(shape(moveTo(two, keys(4, 5), 'new'))).toEqual([
    [1, 2, 3],
    [4, 5],
  ]);
  expect(shape(moveTo(two, keys(1, 2), { part: a, before: '0:2' }))).toEqual([
    [1, 2, 3],
    [4, 5],
  ]);
});

test('by keys pages move one place at a time, across documents', () => {
  const two = plan([1, 2], [3, 4]);
  const after = shift(two, keys(1), 1);
  expect(shape(after)).toEqual([
    [2, 1],
    [3, 4],
  ]);
  expect(shape(shift(after, keys(1), 1))).toEqual([[2], [1, 3, 4]]);
  expect(shape(shift(two, keys(3), -1))).toEqual([[1, 2, 3], [4]]);
  expect(shift(two, keys(1), -1)).toBe(two);
  expect(shift(two, keys(4), 1)).toBe(two);
});

test('four turns are none', () => {
  let turned = plan([1, 2]);
  for (let i = 0; i < 4; i++) turned = rotate(turned, keys(2));
  expect(turned.parts[0]!.pages).toEqual([page(1), page(2)]);
  expect(rotate(turned, keys(1), -1).parts[0]!.pages[0]!.turn).toBe(3);
});

test('pages are put straight together, and all of them left as they were scanned again', () => {
  const straight = (p: Plan) => toSend(p).parts.flatMap((part) => part.pages.filter((x) => x.straighten).map((x) => x.page));
  const one = straighten(plan([1, 2], [3]), keys(2));
  expect(straight(one)).toEqual([2]);
  const both = straighten(one, keys(2, 3));
  expect(straight(both)).toEqual([2, 3]);
  expect(straight(straighten(both, keys(2, 3)))).toEqual([]);
  expect(straight(planOf(toSend(both)))).toEqual([2, 3]);
});

test('no change loses or repeats a page', () => {
  let p = plan([1, 2, 3], [4, 5], [6]);
  const steps = [
    () => splitBefore(p, '0:2'),
    () => moveTo(p, keys(6, 1), { part: p.parts[1]!.key, before: '0:3' }),
    () => leaveOut(p, keys(4, 5)),
    () => shift(p, keys(2), 1),
    () => keep(p, keys(5)),
    () => moveTo(p, keys(4), 'new'),
    () => mergeUp(p, p.parts[1]!.key),
  ];
  for (const step of steps) {
    p = step();
    const all = [...shape(p).flat(), ...p.leftOut.map((x) => x.page)].toSorted((a, b) => a - b);
    expect(all).toEqual([1, 2, 3, 4, 5, 6]);
    expect(p.parts.every((part) => part.pages.length > 0)).toBe(true);
  }
});

test('changes are undone and done again, and letters of a name together', () => {
  const first = plan([1, 2]);
  let history = begin(first);
  history = change(history, rotate(first, keys(1)));
  history = change(history, rotate(history.now, keys(2)));
  history = change(history, rotate(history.now, keys(2)), true);
  expect(history.past).toHaveLength(2);
  const back = undo(undo(history));
  expect(back.now).toBe(first);
  expect(undo(back)).toEqual(back);
  expect(redo(redo(back)).now).toEqual(history.now);
  expect(change(back, splitBefore(first, '0:2')).future).toEqual([]);
});

test('names count on, and a range follows the documents', () => {
  expect(followingName('Scan (2)', ['Scan', 'Scan (2)'])).toBe('Scan (3)');
  expect(pagesBetween(plan([3, 1], [2, 4]), '0:2', '0:3')).toEqual(['0:3', '0:1', '0:2']);
});

test('an error of the server appears at the field of its document, whatever its place', () => {
  const two = planOf({
    parts: [
      { name: 'One', pages: [{ file: 0, page: 1 }] },
      { name: 'Two', pages: [{ file: 0, page: 2 }] },
    ],
    leftOut: [],
  });
  const { parts, other } = errorsOf(two, { 'parts[1].documentType': ['Unknown.'], parts: ['Load it again.'] });
  expect(parts).toEqual({ [two.parts[1]!.key]: { documentType: 'Unknown.' } });
  expect(other).toEqual(['Load it again.']);
});
