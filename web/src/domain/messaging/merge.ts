/** Three-way merge of a record that others may save meanwhile, with conflicts by field. Pure. */

type Fields = Record<string, unknown>;
/** Whether two values of a field are equivalent. */
export type Same = (field: string, a: unknown, b: unknown) => boolean;

export type Edited<T extends object> = {
  /** The latest known server state. */
  base: T;
  version: number;
  draft: T;
  /** Fields that both sides changed to different values; `base` has theirs. The user has to choose. */
  conflicts: readonly string[];
};

/** Treats null and empty text as equal, and ignores surrounding spaces. Parts of a value that say nothing do not count. */
export const sameText: Same = (_, a, b) => tidy(a) === tidy(b);
const tidy = (value: unknown) => {
  if (typeof value === 'string') return value.trim();
  if (value === null || value === undefined) return '';
  if (Array.isArray(value) || typeof value !== 'object') return JSON.stringify(value);
  const parts = Object.entries(value).filter(([, part]) => part && !(Array.isArray(part) && part.length === 0));
  return parts.length === 0 ? '' : JSON.stringify(parts.toSorted(([one], [other]) => one.localeCompare(other)));
};

export const beginEdit = <T extends object>(base: T, version: number): Edited<T> => ({ base, version, draft: base, conflicts: [] });

/** Merges another person's save. Own changes stay, even in fields that the other changed too. */
export function takeIn<T extends object>(
  { base, draft, conflicts }: Edited<T>,
  fresh: T,
  version: number,
  same: Same = sameText,
): Edited<T> {
  const [was, mine, theirs] = [base as Fields, draft as Fields, fresh as Fields];
  const fields = [...new Set([was, mine, theirs].flatMap(Object.keys))];
  const isMine = (f: string) => !same(f, mine[f], was[f]) && !same(f, mine[f], theirs[f]);
  const next = fields.filter((f) => isMine(f) || same(f, mine[f], theirs[f])).map((f) => [f, mine[f]]);
  return {
    base: fresh,
    version,
    draft: { ...fresh, ...Object.fromEntries(next) },
    conflicts: fields.filter((f) => isMine(f) && (conflicts.includes(f) || !same(f, theirs[f], was[f]))),
  };
}

/** Merges the answer to an own save of `sent`; later input stays an own change. */
export const takeSaved = <T extends object>(edited: Edited<T>, sent: T, fresh: T, version: number, same: Same = sameText): Edited<T> =>
  takeIn({ ...edited, base: sent }, fresh, version, same);

/** Resolves a conflict with one of the two values. */
export function settle<T extends object>(edited: Edited<T>, field: string, whose: 'mine' | 'theirs'): Edited<T> {
  const conflicts = edited.conflicts.filter((f) => f !== field);
  const draft = whose === 'mine' ? edited.draft : { ...edited.draft, [field]: (edited.base as Fields)[field] ?? null };
  return { ...edited, draft, conflicts };
}

/** The values to save: fields in conflict keep the saved value. */
export const savable = <T extends object>({ base, draft, conflicts }: Edited<T>): T => ({
  ...draft,
  ...Object.fromEntries(conflicts.map((f) => [f, (base as Fields)[f] ?? null])),
});

/** Whether two records differ in any field. */
export const differs = <T extends object>(a: T, b: T, same: Same = sameText) =>
  [...new Set([a, b].flatMap(Object.keys))].some((f) => !same(f, (a as Fields)[f], (b as Fields)[f]));
