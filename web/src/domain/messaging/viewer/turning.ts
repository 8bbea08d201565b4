/** How far down each page begins. */
export const pageStarts = (pages: number, startOf: (page: number) => number) => Array.from({ length: pages }, (_, i) => startOf(i));

type Where = { scrolled: number; height: number; by: 1 | -1; starts: readonly number[] };

/** A line of what was in view stays, so that nobody reads past it. */
const SHARE = 0.9;
/** A page counts as begun within so many pixels. */
const NEAR = 4;

/** Where the next stroke leads: on by a window, but never past the beginning of a page. */
export function nextOffset({ scrolled, height, by, starts }: Where): number {
  const goal = scrolled + by * height * SHARE;
  const passed = by > 0 ? starts.find((s) => s > scrolled + NEAR && s <= goal) : starts.findLast((s) => s < scrolled - NEAR && s >= goal);
  return Math.max(0, passed ?? goal);
}
