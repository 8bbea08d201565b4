import 'react-pdf/dist/Page/TextLayer.css';
import { useElementSize, useFullscreenElement } from '@mantine/hooks';
import { type ReactNode, useMemo, useState } from 'react';
import { Document, pdfjs } from 'react-pdf';
import { ErrorState } from '@/shared/ui/blocks';
import { usePreference } from '@/shared/usePreference';
import { useViewport } from '@/shared/useViewport';
import { DrawnPage } from './DrawnPage';
import { FindBar } from './FindBar';
import { markMatches } from './find';
import { type Marks, PageMarks } from './marks';
import { PageStrip } from './PageStrip';
import { PdfTools } from './PdfTools';
import { type PdfPages, usePdf, usePdfPages } from './usePdfPages';
import { Waiting } from './Waiting';

pdfjs.GlobalWorkerOptions.workerSrc = new URL('pdfjs-dist/build/pdf.worker.min.mjs', import.meta.url).toString();
const options = {
  cMapUrl: '/pdfjs/cmaps/',
  standardFontDataUrl: '/pdfjs/standard_fonts/',
  wasmUrl: '/pdfjs/wasm/',
  iccUrl: '/pdfjs/iccs/',
  isEvalSupported: false,
};

type Props = {
  file: Blob;
  name: string;
  onPrint?: () => void;
  onDownload?: () => void;
  /** The places of read values. */
  marks?: Marks;
  /** More tools at the right of the bar. */
  tools?: ReactNode;
  /** Actions offered for a file that cannot be opened. */
  instead?: ReactNode;
};

const reasonOf = (error: Error) =>
  error.name === 'PasswordException'
    ? 'The file is protected by a password.'
    : 'The file is damaged or not a PDF. Ask the sender for another copy.';

/** A PDF with virtual pages: zoom, page jump, rotation, search, print, full screen. */
export function PdfView({ file, name, onPrint, onDownload, marks, tools, instead }: Props) {
  const { isPhone } = useViewport();
  const { ref: sizeRef, width, height } = useElementSize();
  const [box, setBox] = useState<HTMLDivElement | null>(null);
  const [failure, setFailure] = useState<Error | null>(null);
  const [finding, setFinding] = useState(false);
  const [strip, showStrip] = useState(false);
  const [words, setWords] = useState('');
  const [showsMarks, showMarks] = usePreference('documentMarks', true);
  const { ref: fullRef, fullscreen, toggle: toggleFull } = useFullscreenElement();
  const { pdf, sizes, onLoaded } = usePdf();
  const list = usePdfPages({ pages: pdf?.numPages ?? 0, sizes, box, width, height, marks });
  const { page, pages, turnTo, noteMove } = list;

  const documentOptions = useMemo(() => options, []);
  return (
    <div className="cp-viewer" ref={fullRef}>
      <PdfTools
        list={list}
        strip={{ isOn: strip, toggle: () => showStrip(!strip) }}
        finding={{ isOn: finding, toggle: () => setFinding(!finding) }}
        fullScreen={{ isOn: fullscreen, toggle: () => void toggleFull() }}
        marking={marks && marks.items.length > 0 ? { isOn: showsMarks, toggle: () => showMarks(!showsMarks) } : undefined}
        onDownload={onDownload}
        onPrint={onPrint}
      >
        {tools}
      </PdfTools>
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
            onWheel={noteMove}
            onPointerDown={noteMove}
          >
            <Document
              file={file}
              options={documentOptions}
              // Otherwise a damaged file would take the whole screen down.
              suspense={false}
              onLoadSuccess={onLoaded}
              loading={<Waiting text="Opening the document" />}
              onLoadError={setFailure}
              error={
                <ErrorState title="This document could not be opened" error={failure && new Error(reasonOf(failure))}>
                  {instead}
                </ErrorState>
              }
            >
              <PageStack list={list} words={words} marks={marks} showsMarks={showsMarks} instead={instead} />
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

type StackProps = { list: PdfPages; words: string; marks: Marks | undefined; showsMarks: boolean; instead: ReactNode };

/** The pages around the one in view. */
const PageStack = ({ list, words, marks, showsMarks, instead }: StackProps) => (
  <div className="cp-pagestack" style={{ height: list.totalHeight, minWidth: list.minWidth }}>
    {list.items.map((i) => (
      <div key={i.key} className="cp-page cp-pageat" style={{ transform: `translate(-50%, ${i.start}px)`, height: list.heightOf(i.index) }}>
        <DrawnPage
          instead={instead}
          pageNumber={i.index + 1}
          scale={list.scaleOf(i.index)}
          // This value replaces the page's own rotation.
          rotate={list.turn ? (list.sizeOf(i.index).rotate + list.turn) % 360 : undefined}
          renderAnnotationLayer={false}
          customTextRenderer={words ? ({ str }) => markMatches(str, words) : undefined}
          loading={<span className="cp-hidden">Page {i.index + 1}</span>}
        />
        {marks && <PageMarks marks={marks} page={i.index + 1} degrees={list.turn} showsAll={showsMarks} />}
      </div>
    ))}
  </div>
);
