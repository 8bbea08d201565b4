import { useVirtualizer } from '@tanstack/react-virtual';
import { type ComponentProps, useEffect, useEffectEvent, useRef, useState } from 'react';
import type { Document } from 'react-pdf';
import { useShortcuts } from '@/shared/shortcuts';
import { clampPage } from '@/shared/table/listSearch';
import { useViewport } from '@/shared/useViewport';
import { type Marks, markOf, turned } from './marks';
import { nextOffset, pageStarts } from './turning';
import { zoomed } from './zoom';

export type PdfDocument = Parameters<NonNullable<ComponentProps<typeof Document>['onLoadSuccess']>>[0];
export type Zoom = 'width' | 'page' | number;
/** Size of a displayed page, and its rotation. */
type Size = { width: number; height: number; rotate: number };

const GAP = 16;
const PADDING = 20;
const LETTER: Size = { width: 612, height: 792, rotate: 0 };
/** PDF points to CSS pixels at 100 %. */
const POINT = 96 / 72;
const MAX_WIDTH = 1000;

/** Ignores the errors of requests to a closed document; throws all others. */
export const unlessLeft = (error: unknown) => {
  if (!(error instanceof Error && /destroyed|terminated|aborted/i.test(error.message))) throw error;
};

/** The document once it is loaded, and the sizes of its pages. */
export function usePdf() {
  const [pdf, setPdf] = useState<PdfDocument | null>(null);
  const [sizes, setSizes] = useState<Size[]>([]);
  const measure = async (doc: PdfDocument) => {
    const first = await doc.getPage(1);
    const sizeOf = (page: Awaited<ReturnType<PdfDocument['getPage']>>): Size => {
      const { width: w, height: h } = page.getViewport({ scale: 1 });
      return { width: w, height: h, rotate: page.rotate };
    };
    setSizes(Array.from({ length: doc.numPages }, () => sizeOf(first)));
    setPdf(doc);
    // Pages of other sizes are measured after the first one is in view.
    const all = await Promise.all(Array.from({ length: doc.numPages }, (_, i) => doc.getPage(i + 1).then(sizeOf)));
    setSizes(all);
  };
  return { pdf, sizes, onLoaded: (doc: PdfDocument) => void measure(doc).catch(unlessLeft) };
}

type Options = {
  pages: number;
  sizes: Size[];
  /** The box that is scrolled, and its size. */
  box: HTMLElement | null;
  width: number;
  height: number;
  marks: Marks | undefined;
};

export type PdfPages = ReturnType<typeof usePdfPages>;

/** Layout of the pages: zoom, rotation, current page, and navigation. */
export function usePdfPages({ pages, sizes, box, width, height, marks }: Options) {
  const { isPhone } = useViewport();
  const [zoom, setZoom] = useState<Zoom>('width');
  const [turn, setTurn] = useState(0);

  const padding = isPhone ? 10 : PADDING;
  const room = { width: Math.max(200, Math.min(width - padding * 2, MAX_WIDTH)), height: Math.max(200, height - padding * 2) };
  const sizeOf = (i: number) => sizes[i] ?? LETTER;
  const scaleOf = (i: number) => {
    const s = sizeOf(i);
    const [w, h] = turn % 180 ? [s.height, s.width] : [s.width, s.height];
    if (zoom === 'width') return room.width / w;
    if (zoom === 'page') return Math.min(room.width / w, room.height / h);
    return zoom * POINT;
  };
  const heightOf = (i: number) => Math.round((turn % 180 ? sizeOf(i).width : sizeOf(i).height) * scaleOf(i));
  const list = useVirtualizer({
    count: pages,
    getScrollElement: () => box,
    estimateSize: (i) => heightOf(i) + GAP,
    overscan: 1,
    paddingStart: padding,
    paddingEnd: padding - GAP,
  });
  const layout = `${zoom}:${turn}:${room.width}:${zoom === 'page' ? room.height : 0}:${sizes.length}`;
  useEffect(() => {
    list.measure();
  }, [list, layout, sizes]);

  const items = list.getVirtualItems();
  const scrolled = list.scrollOffset ?? 0;
  const page = (items.find((i) => i.end > scrolled + height / 3)?.index ?? 0) + 1;
  const goTo = (n: number) => list.scrollToIndex(clampPage(n, pages) - 1, { align: 'start' });
  /** The person has gone to another page. */
  const isMoved = useRef(false);
  const noteMove = () => {
    isMoved.current = true;
  };
  const turnTo = (n: number) => {
    noteMove();
    goTo(n);
  };
  const startOf = (i: number) => list.getOffsetForIndex(i, 'start')?.[0] ?? 0;
  /** Scrolls by one window, at the end of a page to the next one. */
  const turnOn = (by: 1 | -1) => {
    noteMove();
    list.scrollToOffset(nextOffset({ scrolled: list.scrollOffset ?? 0, height, by, starts: pageStarts(pages, startOf) }));
  };
  useShortcuts([
    { keys: [' ', 'PageDown'], label: 'Scroll down', run: () => turnOn(1) },
    { keys: 'PageUp', label: 'Scroll up', run: () => turnOn(-1) },
  ]);
  // Opens at the page that was read, unless the person has gone to another one.
  const readPage = marks?.items[0]?.page;
  const isLaidOut = pages > 0 && height > 0;
  const showRead = useEffectEvent(() => {
    if (isLaidOut && readPage && readPage > 1 && !isMoved.current) goTo(readPage);
  });
  useEffect(() => showRead(), [readPage, isLaidOut]);
  const tellPage = useEffectEvent((shown: number) => isLaidOut && marks?.onPage?.(shown));
  useEffect(() => void tellPage(page), [page, isLaidOut]);
  const focused = markOf(marks?.items ?? [], marks?.focused ?? null);
  const showFocused = useEffectEvent(() => {
    if (!focused || !pages || !height) return;
    const at = focused.page - 1;
    const { top, height: share } = turned(focused.box, turn);
    const [from, to] = [top, top + share].map((part) => startOf(at) + part * heightOf(at)) as [number, number];
    const above = list.scrollOffset ?? 0;
    if (from < above || to > above + height) list.scrollToOffset(Math.max(0, from - height / 3));
  });
  useEffect(() => showFocused(), [focused?.label, focused?.page]);

  const currentZoom = typeof zoom === 'number' ? zoom : scaleOf(page - 1) / POINT;
  return {
    pages,
    page,
    turnTo,
    noteMove,
    zoom,
    /** As a ratio, also when fitted. */
    currentZoom,
    setZoom,
    step: (by: 1 | -1) => setZoom(zoomed(currentZoom, by)),
    turn,
    rotate: () => setTurn((turn + 90) % 360),
    items,
    sizeOf,
    scaleOf,
    heightOf,
    totalHeight: list.getTotalSize(),
    minWidth: Math.max(...items.map((i) => sizeOf(i.index).width * scaleOf(i.index) + padding * 2), 0),
  };
}
