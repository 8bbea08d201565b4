/** Top offset of each page. */
export const pageStarts = (pages: number, startOf: (page: number) => number) => Array.from({ length: pages }, (_, i) => startOf(i));

type Where = { scrolled: number; height: number; by: 1 | -1; starts: readonly number[] };

/** Overlap between two windows, so that no line is skipped. */
const SHARE = 0.9;
/** Tolerance for the beginning of a page, in pixels. */
const NEAR = 4;

/** The next scroll position: one window further, but never past the beginning of a page. */
export function nextOffset({ scrolled, height, by, starts }: Where): number {
  const goal = scrolled + by * height * SHARE;
  const passed = by > 0 ? starts.find((s) => s > scrolled + NEAR && s <= goal) : starts.findLast((s) => s < scrolled - NEAR && s >= goal);
  return Math.max(0, passed ?? goal);
}
