import type { PlannedPage, PlannedPart } from '@/api/types';

/** The arrangement of a batch's pages: pure changes of a plan, each of which can be undone. */

export type Page = Required<PlannedPage>;
export type Part = { key: number; name: string; documentType: string | null; assignedTo: string | null; pages: Page[] };
export type Plan = { parts: Part[]; leftOut: Page[] };
/** `0:14`: page 14 of the first file. */
export type PageKey = string;

export const keyOf = (page: { file: number; page: number }): PageKey => `${page.file}:${page.page}`;

let lastKey = 0;
const nextKey = () => ++lastKey;

export function planOf({ parts, leftOut }: { parts: PlannedPart[]; leftOut: PlannedPage[] }): Plan {
  const page = (p: PlannedPage): Page => ({ file: p.file, page: p.page, turn: p.turn ?? 0, straighten: p.straighten ?? false });
  return {
    parts: parts.map((p) => ({
      key: nextKey(),
      name: p.name ?? '',
      documentType: p.documentType || null,
      assignedTo: p.assignedTo ?? null,
      pages: (p.pages ?? []).map(page),
    })),
    leftOut: leftOut.map(page),
  };
}

/** The plan as the server takes it. */
export const toSend = ({ parts, leftOut }: Plan) => ({
  parts: parts.map(({ name, documentType, assignedTo, pages }) => ({ name, documentType, assignedTo, pages })),
  leftOut,
});

const has = (keys: ReadonlySet<PageKey>) => (page: Page) => keys.has(keyOf(page));
const isFull = (part: Part) => part.pages.length > 0;

/** All pages in documents, from the first to the last. */
export const pagesInOrder = (plan: Plan): Page[] => plan.parts.flatMap((p) => p.pages);
export const partOf = (plan: Plan, key: PageKey) => plan.parts.find((p) => p.pages.some((page) => keyOf(page) === key));

/** `Scan` and `Scan (2)` are followed by `Scan (3)`. */
export function followingName(name: string, taken: readonly string[]): string {
  const stem = name.replace(/ \(\d+\)$/, '');
  for (let n = 2; ; n++) {
    const next = `${stem} (${n})`;
    if (!taken.includes(next)) return next;
  }
}

const newPart = (plan: Plan, like: Part | undefined, pages: Page[]): Part => ({
  key: nextKey(),
  name: followingName(
    like?.name || 'Document',
    plan.parts.map((p) => p.name),
  ),
  documentType: null,
  assignedTo: like?.assignedTo ?? null,
  pages,
});

/** A new document begins at this page. */
export function splitBefore(plan: Plan, key: PageKey): Plan {
  const part = partOf(plan, key);
  const at = part?.pages.findIndex((page) => keyOf(page) === key) ?? -1;
  if (!part || at < 1) return plan;
  const rest = newPart(plan, part, part.pages.slice(at));
  const parts = plan.parts.flatMap((p) => (p === part ? [{ ...p, pages: p.pages.slice(0, at) }, rest] : [p]));
  return { ...plan, parts };
}

/** The document is added to the one above it. */
export function mergeUp(plan: Plan, partKey: number): Plan {
  const at = plan.parts.findIndex((p) => p.key === partKey);
  if (at < 1) return plan;
  const [above, below] = [plan.parts[at - 1]!, plan.parts[at]!];
  const merged: Part = {
    ...above,
    documentType: above.documentType ?? below.documentType,
    assignedTo: above.assignedTo ?? below.assignedTo,
    pages: [...above.pages, ...below.pages],
  };
  return { ...plan, parts: plan.parts.toSpliced(at - 1, 2, merged) };
}

/** The pages are turned clockwise. */
export function rotate(plan: Plan, keys: ReadonlySet<PageKey>, quarters = 1): Plan {
  const turned = (page: Page) => (has(keys)(page) ? { ...page, turn: (page.turn + quarters + 4) % 4 } : page);
  return { parts: plan.parts.map((p) => ({ ...p, pages: p.pages.map(turned) })), leftOut: plan.leftOut.map(turned) };
}

/** Straightens the pages when the documents are created; if all already are, undoes it. */
export function straighten(plan: Plan, keys: ReadonlySet<PageKey>): Plan {
  const isOn = !pagesInOrder(plan)
    .filter(has(keys))
    .every((page) => page.straighten);
  const set = (page: Page) => (has(keys)(page) ? { ...page, straighten: isOn } : page);
  return { parts: plan.parts.map((p) => ({ ...p, pages: p.pages.map(set) })), leftOut: plan.leftOut };
}

/** Excludes the pages from all documents. */
export function leaveOut(plan: Plan, keys: ReadonlySet<PageKey>): Plan {
  const gone = pagesInOrder(plan).filter(has(keys));
  const parts = plan.parts.map((p) => ({ ...p, pages: p.pages.filter((page) => !has(keys)(page)) })).filter(isFull);
  return { parts, leftOut: [...plan.leftOut, ...gone].toSorted((a, b) => a.file - b.file || a.page - b.page) };
}

/** Pages that were left out go back behind the page that they followed, or into a document of their own. */
export function keep(plan: Plan, keys: ReadonlySet<PageKey>): Plan {
  const back = plan.leftOut.filter(has(keys));
  let next: Plan = { ...plan, leftOut: plan.leftOut.filter((page) => !has(keys)(page)) };
  for (const page of back) {
    const before = pagesInOrder(next)
      .filter((p) => p.file === page.file && p.page < page.page)
      .toSorted((a, b) => b.page - a.page)[0];
    const home = before && partOf(next, keyOf(before));
    if (!home) {
      next = { ...next, parts: [newPart(next, undefined, [page]), ...next.parts] };
      continue;
    }
    const at = home.pages.findIndex((p) => keyOf(p) === keyOf(before)) + 1;
    const parts = next.parts.map((p) => (p === home ? { ...p, pages: p.pages.toSpliced(at, 0, page) } : p));
    next = { ...next, parts };
  }
  return next;
}

/** The target of moved pages: a document, before one of its pages or at its end, or a new document at the end. */
export type Target = { part: number; before?: PageKey } | 'new';

export function moveTo(plan: Plan, keys: ReadonlySet<PageKey>, target: Target): Plan {
  const moved = [...pagesInOrder(plan), ...plan.leftOut].filter(has(keys));
  if (moved.length === 0) return plan;
  const stays = (page: Page) => !has(keys)(page);
  const leftOut = plan.leftOut.filter(stays);
  if (target === 'new') {
    const like = partOf(plan, keyOf(moved[0]!));
    const parts = plan.parts.map((p) => ({ ...p, pages: p.pages.filter(stays) }));
    return { parts: [...parts, newPart(plan, like, moved)].filter(isFull), leftOut };
  }
  // A moved page cannot be the target: the next one that stays is.
  const goal = plan.parts.find((p) => p.key === target.part);
  const from = target.before === undefined ? -1 : (goal?.pages.findIndex((p) => keyOf(p) === target.before) ?? -1);
  const before = from < 0 ? undefined : goal?.pages.slice(from).find(stays);
  const parts = plan.parts.map((p) => {
    const rest = p.pages.filter(stays);
    if (p.key !== target.part) return { ...p, pages: rest };
    const at = before ? rest.indexOf(before) : rest.length;
    return { ...p, pages: rest.toSpliced(at, 0, ...moved) };
  });
  return { parts: parts.filter(isFull), leftOut };
}

/** Moves the pages one place forward or back, across the border between documents too. */
export function shift(plan: Plan, keys: ReadonlySet<PageKey>, by: 1 | -1): Plan {
  const all = plan.parts.flatMap((part) => part.pages.map((page) => ({ part, page })));
  const places = all.flatMap(({ page }, i) => (has(keys)(page) ? [i] : []));
  if (places.length === 0) return plan;
  const first = all[places[0]!]!;
  const last = all[places.at(-1)!]!;
  if (by < 0) {
    const before = all[places[0]! - 1];
    if (!before) return plan;
    // At the beginning of a document the pages go to the end of the one above.
    return before.part === first.part
      ? moveTo(plan, keys, { part: before.part.key, before: keyOf(before.page) })
      : moveTo(plan, keys, { part: before.part.key });
  }
  const next = all[places.at(-1)! + 1];
  if (!next) return plan;
  if (next.part !== last.part) return moveTo(plan, keys, { part: next.part.key, before: keyOf(next.page) });
  const behind = last.part.pages[last.part.pages.indexOf(next.page) + 1];
  return moveTo(plan, keys, { part: last.part.key, before: behind && keyOf(behind) });
}

export const describe = (plan: Plan, partKey: number, changes: Partial<Omit<Part, 'key' | 'pages'>>): Plan => ({
  ...plan,
  parts: plan.parts.map((p) => (p.key === partKey ? { ...p, ...changes } : p)),
});

/** All pages between two, in the order of the documents. */
export function pagesBetween(plan: Plan, a: PageKey, b: PageKey): PageKey[] {
  const keys = pagesInOrder(plan).map(keyOf);
  const [from, to] = [keys.indexOf(a), keys.indexOf(b)].toSorted((x, y) => x - y) as [number, number];
  return from < 0 ? [b] : keys.slice(from, to + 1);
}

/** A plan with the plans before it and those that were undone. */
export type History = { now: Plan; past: Plan[]; future: Plan[] };
const STEPS = 200;

export const begin = (plan: Plan): History => ({ now: plan, past: [], future: [] });
/** A change that continues the last one, such as further letters of a name, is undone with it. */
export function change(history: History, plan: Plan, isFurther = false): History {
  if (plan === history.now) return history;
  const past = isFurther && history.past.length > 0 ? history.past : [...history.past, history.now].slice(-STEPS);
  return { now: plan, past, future: [] };
}
export function undo({ now, past, future }: History): History {
  const before = past.at(-1);
  return before ? { now: before, past: past.slice(0, -1), future: [now, ...future] } : { now, past, future };
}
export function redo({ now, past, future }: History): History {
  const [next, ...rest] = future;
  return next ? { now: next, past: [...past, now], future: rest } : { now, past, future };
}

/** Errors of documents, by key and field. */
export type PartErrors = Record<number, Partial<Record<'name' | 'documentType' | 'assignedTo' | 'pages', string>>>;

/** The server's refusal of a plan: at a field of a document, or of the whole plan. */
export function errorsOf(plan: Plan, modelState: Record<string, string[]>): { parts: PartErrors; other: string[] } {
  const parts: PartErrors = {};
  const other: string[] = [];
  for (const [path, texts] of Object.entries(modelState)) {
    const [, index, field] = /^parts\[(\d+)\]\.(name|documentType|assignedTo|pages)$/.exec(path) ?? [];
    const part = index === undefined ? undefined : plan.parts[Number(index)];
    if (part && field) parts[part.key] = { ...parts[part.key], [field]: texts[0] };
    else other.push(...texts);
  }
  return { parts, other };
}
