import './print.css';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { Document, Page, pdfjs } from 'react-pdf';
import { pdfQuery } from '@/domain/messaging/viewer/api';
import { ErrorState } from '@/shared/ui/blocks';

pdfjs.GlobalWorkerOptions.workerSrc = new URL('pdfjs-dist/build/pdf.worker.min.mjs', import.meta.url).toString();
const options = {
  cMapUrl: '/pdfjs/cmaps/',
  standardFontDataUrl: '/pdfjs/standard_fonts/',
  wasmUrl: '/pdfjs/wasm/',
  iccUrl: '/pdfjs/iccs/',
  isEvalSupported: false,
};
/** Pixels per CSS pixel, for crisp paper. */
const SHARPNESS = 2;
const PAGE_WIDTH = 780;
const FAILED = 'An error occurred while attempting to print. Please try again.';

const route = getRouteApi('/print');

/** Draws every page of one file, then opens the browser's print dialog. */
export function PrintPage() {
  const { job = '' } = route.useSearch();
  const [messageId = '', id = ''] = job.split('.');
  const pdf = useQuery({ ...pdfQuery({ id, messageId }), enabled: Boolean(id) });
  const [pages, setPages] = useState(0);
  const drawn = useRef(new Set<number>());
  const drawnPage = (n: number) => {
    if (drawn.current.has(n)) return;
    drawn.current.add(n);
    if (drawn.current.size === pages) window.print();
  };
  if (!id) return <ErrorState title="There is nothing to print" error={null} />;
  if (pdf.isError) {
    return <ErrorState title={FAILED} error={null} onRetry={() => void pdf.refetch()} />;
  }
  if (!pdf.data) return <p role="status">Preparing the pages</p>;
  return (
    <Document
      file={pdf.data}
      options={options}
      suspense={false}
      loading={null}
      error={<ErrorState title={FAILED} error={null} />}
      onLoadSuccess={(doc) => setPages(doc.numPages)}
    >
      {Array.from({ length: pages }, (_, i) => (
        <div key={String(i)} className="cp-paper">
          <Page
            pageNumber={i + 1}
            width={PAGE_WIDTH}
            devicePixelRatio={SHARPNESS}
            renderTextLayer={false}
            renderAnnotationLayer={false}
            onRenderSuccess={() => drawnPage(i + 1)}
          />
        </div>
      ))}
    </Document>
  );
}
