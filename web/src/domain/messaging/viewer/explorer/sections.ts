import type { OutlineSection } from '@/api/types';

/** A person's arrangement of sections, by code, so that it applies to every document. */
export type Arrangement = { order: string[]; hidden: string[] };
export const AS_WRITTEN: Arrangement = { order: [], hidden: [] };

/** Key of a section across documents. */
export const keyOf = (section: Pick<OutlineSection, 'code' | 'title'>) => section.code?.code || section.title.trim().toLowerCase();

/** The sections in the person's order; unplaced ones stay behind their predecessor. */
export function arranged(sections: OutlineSection[], { order }: Arrangement): OutlineSection[] {
  const rank = new Map(order.map((key, i) => [key, i]));
  let last = -1;
  const placed = sections.map((section, i) => {
    last = rank.get(keyOf(section)) ?? last;
    return { section, rank: last, i };
  });
  return placed.sort((a, b) => a.rank - b.rank || a.i - b.i).map((p) => p.section);
}

/** Moves a section up or down among those of this document. */
export function moved(sections: OutlineSection[], arrangement: Arrangement, section: OutlineSection, by: -1 | 1): Arrangement {
  const keys = [...new Set(arranged(sections, arrangement).map(keyOf))];
  const from = keys.indexOf(keyOf(section));
  const to = from + by;
  if (from < 0 || to < 0 || to >= keys.length) return arrangement;
  [keys[from], keys[to]] = [keys[to]!, keys[from]!];
  // Sections of other documents keep their order, at the end.
  return { ...arrangement, order: [...keys, ...arrangement.order.filter((key) => !keys.includes(key))] };
}

export const toggled = (arrangement: Arrangement, section: OutlineSection): Arrangement => {
  const key = keyOf(section);
  const hidden = arrangement.hidden.includes(key) ? arrangement.hidden.filter((k) => k !== key) : [...arrangement.hidden, key];
  return { ...arrangement, hidden };
};

/** Sections with those inside them, each with its depth. */
export const flat = (sections: OutlineSection[], depth = 0): { section: OutlineSection; depth: number }[] =>
  sections.flatMap((section) => [{ section, depth }, ...flat(section.sections ?? [], depth + 1)]);
