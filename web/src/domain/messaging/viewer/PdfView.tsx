import 'react-pdf/dist/Page/TextLayer.css';
import { Menu, NumberInput, UnstyledButton } from '@mantine/core';
import { useElementSize, useFullscreenElement } from '@mantine/hooks';
import { useVirtualizer } from '@tanstack/react-virtual';
import {
  IconCheck,
  IconChevronDown,
  IconChevronUp,
  IconDownload,
  IconLayoutSidebar,
  IconMaximize,
  IconMinus,
  IconPlus,
  IconPrinter,
  IconRotateClockwise,
  IconScan,
  IconSearch,
} from '@tabler/icons-react';
import { type ReactNode, useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import { Document, pdfjs } from 'react-pdf';
import { plural } from '@/shared/format';
import { ErrorState } from '@/shared/ui/blocks';
import { useShortcuts } from '@/shared/shortcuts';
import { useDraft } from '@/shared/useDraft';
import { clampPage } from '@/shared/table/listSearch';
import { usePreference } from '@/shared/usePreference';
import { useViewport } from '@/shared/useViewport';
import { DrawnPage } from './DrawnPage';
import { countMatches, markMatches } from './find';
import { type Marks, markOf, PageMarks, turned } from './marks';
import { PageStrip } from './PageStrip';
import { nextOffset, pageStarts } from './turning';
import { FindTools, Tool } from './tools';
import { Waiting } from './Waiting';
import { ZOOMS, zoomed } from './zoom';

pdfjs.GlobalWorkerOptions.workerSrc = new URL('pdfjs-dist/build/pdf.worker.min.mjs', import.meta.url).toString();
const options = {
  cMapUrl: '/pdfjs/cmaps/',
  standardFontDataUrl: '/pdfjs/standard_fonts/',
  wasmUrl: '/pdfjs/wasm/',
  iccUrl: '/pdfjs/iccs/',
  isEvalSupported: false,
};

type PdfDocument = Parameters<NonNullable<React.ComponentProps<typeof Document>['onLoadSuccess']>>[0];
type Zoom = 'width' | 'page' | number;
/** As a page is shown, and by how much it is turned for that. */
type Size = { width: number; height: number; rotate: number };

const GAP = 16;
const PADDING = 20;
const LETTER: Size = { width: 612, height: 792, rotate: 0 };
/** PDF points to CSS pixels at 100 %. */
const POINT = 96 / 72;
const MAX_WIDTH = 1000;

const zoomLabel = (zoom: Zoom) => (zoom === 'width' ? 'Fit width' : zoom === 'page' ? 'Fit page' : `${Math.round(zoom * 100)}%`);

/** A document that is put away answers open questions with this. */
const unlessLeft = (error: unknown) => {
  if (!(error instanceof Error && /destroyed|terminated|aborted/i.test(error.message))) throw error;
};

type Props = {
  file: Blob;
  name: string;
  onPrint?: () => void;
  onDownload?: () => void;
  /** Where values were read. */
  marks?: Marks;
  /** More tools at the right of the bar. */
  tools?: ReactNode;
  /** Actions offered for a file that cannot be opened. */
  instead?: ReactNode;
};

const reasonOf = (error: Error) =>
  error.name === 'PasswordException'
    ? 'The file is protected by a password.'
    : 'The file is damaged or no PDF. Its sender can be asked for another one.';

/** A PDF with virtual pages: zoom, page jump, rotation, search, print, full screen. */
export function PdfView({ file, name, onPrint, onDownload, marks, tools, instead }: Props) {
  const { isPhone } = useViewport();
  const { ref: sizeRef, width, height } = useElementSize();
  const [box, setBox] = useState<HTMLDivElement | null>(null);
  const [pdf, setPdf] = useState<PdfDocument | null>(null);
  const [failure, setFailure] = useState<Error | null>(null);
  const [sizes, setSizes] = useState<Size[]>([]);
  const [zoom, setZoom] = useState<Zoom>('width');
  const [turn, setTurn] = useState(0);
  const [finding, setFinding] = useState(false);
  const [strip, showStrip] = useState(false);
  const [words, setWords] = useState('');
  const [showsMarks, showMarks] = usePreference('documentMarks', true);
  const full = useFullscreenElement();
  const pages = pdf?.numPages ?? 0;

  const loaded = async (doc: PdfDocument) => {
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

  const padding = isPhone ? 10 : PADDING;
  const room = { width: Math.max(200, Math.min(width - padding * 2, MAX_WIDTH)), height: Math.max(200, height - padding * 2) };
  const scaleOf = (i: number) => {
    const s = sizes[i] ?? LETTER;
    const [w, h] = turn % 180 ? [s.height, s.width] : [s.width, s.height];
    if (zoom === 'width') return room.width / w;
    if (zoom === 'page') return Math.min(room.width / w, room.height / h);
    return zoom * POINT;
  };
  const heightOf = (i: number) => {
    const s = sizes[i] ?? LETTER;
    return Math.round((turn % 180 ? s.width : s.height) * scaleOf(i));
  };
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
  const middle = (list.scrollOffset ?? 0) + height / 3;
  const page = (items.find((i) => i.end > middle)?.index ?? 0) + 1;
  const goTo = (n: number) => list.scrollToIndex(clampPage(n, pages) - 1, { align: 'start' });
  const isMoved = useRef(false);
  const turnTo = (n: number) => {
    isMoved.current = true;
    goTo(n);
  };
  /** On by what the window shows, at the end of a page to the next one. */
  const turnOn = (by: 1 | -1) => {
    isMoved.current = true;
    const scrolled = list.scrollOffset ?? 0;
    list.scrollToOffset(
      nextOffset({ scrolled, height, by, starts: pageStarts(pages, (i) => list.getOffsetForIndex(i, 'start')?.[0] ?? 0) }),
    );
  };
  useShortcuts([
    { keys: [' ', 'PageDown'], label: 'Turn the page', run: () => turnOn(1) },
    { keys: 'PageUp', label: 'Turn the page back', run: () => turnOn(-1) },
  ]);
  // Opens at the page that was read, as long as nobody has turned another one.
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
    const [start] = list.getOffsetForIndex(at, 'start') ?? [0];
    const { top, height: share } = turned(focused.box, turn);
    const [from, to] = [top, top + share].map((part) => start + part * heightOf(at)) as [number, number];
    const scrolled = list.scrollOffset ?? 0;
    if (from < scrolled || to > scrolled + height) list.scrollToOffset(Math.max(0, from - height / 3));
  });
  useEffect(() => showFocused(), [focused?.label, focused?.page]);
  const currentZoom = typeof zoom === 'number' ? zoom : scaleOf(page - 1) / POINT;
  const step = (by: 1 | -1) => setZoom(zoomed(currentZoom, by));

  const documentOptions = useMemo(() => options, []);
  return (
    <div className="cp-viewer" ref={full.ref}>
      <div className="cp-tools" role="toolbar" aria-label="Document tools">
        {!isPhone && <Tool label="Pages" icon={IconLayoutSidebar} pressed={strip} onClick={() => showStrip(!strip)} />}
        <Tool label="Previous page" icon={IconChevronUp} disabled={page <= 1} onClick={() => turnTo(page - 1)} />
        <Tool label="Next page" icon={IconChevronDown} disabled={page >= pages} onClick={() => turnTo(page + 1)} />
        <PageBox page={page} pages={pages} onPage={turnTo} />
        <span className="sep" />
        <Tool label="Zoom out" icon={IconMinus} disabled={currentZoom <= ZOOMS[0]!} onClick={() => step(-1)} />
        {!isPhone && (
          <Menu position="bottom">
            <Menu.Target>
              <UnstyledButton className="cp-row cp-zoom" aria-label={`Zoom: ${zoomLabel(zoom)}`}>
                {zoomLabel(zoom)}
                <IconChevronDown size={14} stroke={1.6} aria-hidden />
              </UnstyledButton>
            </Menu.Target>
            <Menu.Dropdown>
              {(['width', 'page', ...ZOOMS] as Zoom[]).map((z) => (
                <Menu.Item key={z} rightSection={z === zoom && <IconCheck size={15} stroke={2} />} onClick={() => setZoom(z)}>
                  {zoomLabel(z)}
                </Menu.Item>
              ))}
            </Menu.Dropdown>
          </Menu>
        )}
        <Tool label="Zoom in" icon={IconPlus} disabled={currentZoom >= ZOOMS.at(-1)!} onClick={() => step(1)} />
        <span className="sep" />
        <Tool label="Rotate" icon={IconRotateClockwise} onClick={() => setTurn((turn + 90) % 360)} />
        <Tool label="Find in document" icon={IconSearch} pressed={finding} onClick={() => setFinding(!finding)} />
        <div className="cp-grow" />
        {marks && marks.items.length > 0 && (
          <Tool label="Marks" icon={IconScan} pressed={showsMarks} onClick={() => showMarks(!showsMarks)} />
        )}
        {tools}
        {onDownload && <Tool label="Download" icon={IconDownload} onClick={onDownload} />}
        {onPrint && <Tool label="Print" icon={IconPrinter} onClick={onPrint} />}
        <Tool label={full.fullscreen ? 'Leave full screen' : 'Full screen'} icon={IconMaximize} onClick={() => void full.toggle()} />
      </div>
      {finding && pdf && (
        <FindBar
          pdf={pdf}
          page={page}
          onWords={setWords}
          onPage={turnTo}
          onClose={() => {
            setFinding(false);
            setWords('');
          }}
        />
      )}
      <div className="cp-wellrow">
        {strip && pdf && !isPhone && <PageStrip pdf={pdf} sizes={sizes} page={page} onPage={turnTo} />}
        <div className="cp-well cp-wellbox" ref={sizeRef}>
          <div
            ref={setBox}
            className="cp-wellscroll"
            tabIndex={0}
            role="region"
            aria-label={pages ? `${name}, ${pages} pages` : name}
            onWheel={() => (isMoved.current = true)}
            onPointerDown={() => (isMoved.current = true)}
          >
            <Document
              file={file}
              options={documentOptions}
              // Otherwise a damaged file would take the whole screen down.
              suspense={false}
              onLoadSuccess={(doc) => void loaded(doc).catch(unlessLeft)}
              loading={<Waiting text="Opening the document" />}
              onLoadError={setFailure}
              error={
                <ErrorState title="This document could not be opened" error={failure && new Error(reasonOf(failure))}>
                  {instead}
                </ErrorState>
              }
            >
              <div
                className="cp-pagestack"
                style={{
                  height: list.getTotalSize(),
                  minWidth: Math.max(...items.map((i) => (sizes[i.index] ?? LETTER).width * scaleOf(i.index) + padding * 2), 0),
                }}
              >
                {items.map((i) => (
                  <div
                    key={i.key}
                    className="cp-page cp-pageat"
                    style={{ transform: `translate(-50%, ${i.start}px)`, height: heightOf(i.index) }}
                  >
                    <DrawnPage
                      instead={instead}
                      pageNumber={i.index + 1}
                      scale={scaleOf(i.index)}
                      // What is given here takes the place of the turn that the page has of its own.
                      rotate={turn ? ((sizes[i.index] ?? LETTER).rotate + turn) % 360 : undefined}
                      renderAnnotationLayer={false}
                      customTextRenderer={words ? ({ str }) => markMatches(str, words) : undefined}
                      loading={<span className="cp-hidden">Page {i.index + 1}</span>}
                    />
                    {marks && <PageMarks marks={marks} page={i.index + 1} degrees={turn} showsAll={showsMarks} />}
                  </div>
                ))}
              </div>
            </Document>
          </div>
          {isPhone && pages > 0 && (
            <span className="cp-pagebadge cp-num" aria-hidden>
              {page} of {pages}
            </span>
          )}
        </div>
      </div>
    </div>
  );
}

function PageBox({ page, pages, onPage }: { page: number; pages: number; onPage: (n: number) => void }) {
  const [text, setText] = useDraft<string | number>(page);
  return (
    <span className="cp-row cp-num cp-pagebox">
      <NumberInput
        aria-label="Page"
        size="xs"
        w={44}
        hideControls
        allowDecimal={false}
        value={text}
        onChange={setText}
        onBlur={() => setText(page)}
        onKeyDown={(e) => e.key === 'Enter' && onPage(Number(text))}
        styles={{ input: { textAlign: 'center', padding: 0 } }}
      />
      of {pages || '…'}
    </span>
  );
}

type FindProps = { pdf: PdfDocument; page: number; onWords: (words: string) => void; onPage: (n: number) => void; onClose: () => void };

/** Looks for words in all pages; Enter goes to the next page that has them. */
function FindBar({ pdf, page, onWords, onPage, onClose }: FindProps) {
  const [text, setText] = useState('');
  const [hits, setHits] = useState<{ page: number; count: number }[] | null>(null);
  const run = useRef(0);
  const find = async (words: string) => {
    const mine = ++run.current;
    setText(words);
    onWords(words.trim().length > 1 ? words.trim() : '');
    setHits(null);
    if (words.trim().length < 2) return;
    const found: { page: number; count: number }[] = [];
    for (let n = 1; n <= pdf.numPages; n++) {
      const content = await (await pdf.getPage(n)).getTextContent();
      if (mine !== run.current) return;
      const count = countMatches(
        content.items.map((i) => ('str' in i ? i.str : '')),
        words.trim(),
      );
      if (count) found.push({ page: n, count });
    }
    setHits(found);
    if (found[0]) onPage((found.find((f) => f.page >= page) ?? found[0]).page);
  };
  const total = hits?.reduce((sum, h) => sum + h.count, 0) ?? 0;
  const turnTo = (by: 1 | -1) => {
    if (!hits?.length) return;
    const next = by > 0 ? (hits.find((h) => h.page > page) ?? hits[0]!) : (hits.findLast((h) => h.page < page) ?? hits.at(-1)!);
    onPage(next.page);
  };
  return (
    <FindTools
      text={text}
      onText={(words) => void find(words).catch(unlessLeft)}
      found={hits ? (total ? `${total} on ${plural(hits.length, 'page')}` : 'Not found') : ''}
      hasFound={!!hits?.length}
      unit="page with a match"
      onTurn={turnTo}
      onClose={onClose}
    />
  );
}
