/** Sizes that the viewers offer; 1 is the document's own. */
export const ZOOMS = [0.5, 0.75, 1, 1.25, 1.5, 2, 3];

/** The next larger or smaller size. */
export const zoomed = (from: number, by: 1 | -1): number =>
  by > 0 ? (ZOOMS.find((z) => z > from + 0.01) ?? ZOOMS.at(-1)!) : (ZOOMS.findLast((z) => z < from - 0.01) ?? ZOOMS[0]!);
