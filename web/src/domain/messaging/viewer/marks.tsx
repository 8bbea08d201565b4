/** A part of a page: shares of its width and height, from its upper left corner. */
export type Box = { left: number; top: number; width: number; height: number };
/** Places of read values; values printed together share one. */
export type Mark = { keys: readonly string[]; label: string; page: number; box: Box };
export type Marks = {
  items: readonly Mark[];
  /** The value under the pointer. */
  pointed: string | null;
  /** The value that has the focus: its place is brought into view. */
  focused: string | null;
  /** A page is in view. */
  onPage?: (page: number) => void;
  onPick: (key: string) => void;
};

/** The place of a value. */
export const markOf = (items: readonly Mark[], key: string | null) => (key === null ? undefined : items.find((m) => m.keys.includes(key)));

/** A box after a clockwise rotation of its page, in degrees. */
export function turned({ left, top, width, height }: Box, degrees: number): Box {
  switch (degrees) {
    case 90:
      return { left: 1 - top - height, top: left, width: height, height: width };
    case 180:
      return { left: 1 - left - width, top: 1 - top - height, width, height };
    case 270:
      return { left: top, top: 1 - left - width, width: height, height: width };
    default:
      return { left, top, width, height };
  }
}

const percent = (share: number) => `${share * 100}%`;

type Props = { marks: Marks; page: number; degrees: number; showsAll: boolean };

/** The marks of one page, above it. A click leads to the field of the value. */
export function PageMarks({ marks, page, degrees, showsAll }: Props) {
  const pointed = markOf(marks.items, marks.pointed);
  const shown = marks.items.filter((m) => m.page === page && (showsAll || m === pointed));
  return shown.map((mark) => {
    const { left, top, width, height } = turned(mark.box, degrees);
    return (
      <button
        key={mark.label}
        type="button"
        // By the keyboard the fields themselves are reached.
        tabIndex={-1}
        className="cp-mark"
        data-on={mark === pointed || undefined}
        aria-label={`Read here: ${mark.label}`}
        style={{ left: percent(left), top: percent(top), width: percent(width), height: percent(height) }}
        onClick={() => marks.onPick(mark.keys[0]!)}
      />
    );
  });
}
