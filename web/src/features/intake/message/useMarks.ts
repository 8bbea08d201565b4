import { useState } from 'react';
import type { ExtractedMark } from '@/api/types';
import { type ExtractedField, isExtracted, PATIENT_LABELS } from '@/domain/messaging/rules';
import type { Mark, Marks } from '@/domain/messaging/viewer/marks';
import { NUMBER_LABEL } from './AlsoRead';

const labelOf = (field: ExtractedMark['field']) => (field === 'patientIds' ? NUMBER_LABEL : PATIENT_LABELS[field]);

/** The places of some values; a name that is printed in one piece has one. */
export function placesOf(marks: readonly ExtractedMark[], fields: ReadonlySet<string>): Mark[] {
  const places = new Map<string, Mark>();
  for (const { field, page, box } of marks) {
    if (!fields.has(field)) continue;
    const at = JSON.stringify([page, box.left, box.top, box.width, box.height]);
    const known = places.get(at);
    const keys = [...(known?.keys ?? []), field];
    const label = known ? `${known.label}, ${labelOf(field).toLowerCase()}` : labelOf(field);
    places.set(at, { keys, label, page, box });
  }
  return [...places.values()];
}

const withKey = (seen: ReadonlySet<string>, key: string) => (seen.has(key) ? seen : new Set([...seen, key]));

/** The field that an element belongs to, or is beside. */
function fieldOf(target: EventTarget): ExtractedField | null {
  if (!(target instanceof Element)) return null;
  const input = target.closest('[data-field]') ?? target.closest('.mantine-InputWrapper-root')?.querySelector('[data-field]');
  const field = input?.getAttribute('data-field') ?? '';
  return isExtracted(field) ? field : null;
}

/**
 * Places in the current document of values that nobody has confirmed or taken over yet. A hovered or focused field shows its
 * place.
 */
export function useMarks(attachmentId: string | undefined, shown: ReadonlySet<string>) {
  const [found, setFound] = useState<Readonly<Record<string, ExtractedMark[]>>>({});
  const [hovered, hover] = useState<ExtractedField | null>(null);
  const [focused, focus] = useState<ExtractedField | null>(null);
  const [looked, setLooked] = useState<ReadonlySet<string>>(new Set());
  const pageKey = (id: string, page: number) => `${id}:${page}`;
  const note = (id: string, marks: ExtractedMark[]) => setFound((known) => ({ ...known, [id]: marks }));
  const items = placesOf((attachmentId && found[attachmentId]) || [], shown);
  return {
    note,
    marks: {
      items,
      pointed: hovered ?? focused,
      focused,
      onPage: (page: number) => {
        if (attachmentId) setLooked((seen) => withKey(seen, pageKey(attachmentId, page)));
      },
    } satisfies Omit<Marks, 'onPick'>,
    /** Whether the places of all these values were visible. */
    wereSeen: (fields: readonly string[]) =>
      Object.entries(found).every(([id, places]) =>
        places.every((mark) => !fields.includes(mark.field) || looked.has(pageKey(id, mark.page))),
      ),
    /** The page that has all of them, if it is one. */
    page: items.length > 0 && items.every((m) => m.page === items[0]!.page) ? items[0]!.page : null,
    pointing: {
      onMouseOver: (e: { target: EventTarget }) => hover(fieldOf(e.target)),
      onMouseLeave: () => hover(null),
      onFocus: (e: { target: EventTarget }) => focus(fieldOf(e.target)),
      onBlur: () => focus(null),
    },
  };
}
