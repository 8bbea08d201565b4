import './print.css';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { Document, Page, pdfjs } from 'react-pdf';
import type { ApiPath } from '@/api/query';
import { fetchFile, taskFilesQuery, taskQuery } from '@/domain/messaging/tasks/api';
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
/** Pixels per CSS pixel, for crisp paper; less where many pages would need too much memory. */
const SHARPNESS = 2;
const MODEST_SHARPNESS = 1.25;
const MANY_PAGES = 40;
const PAGE_WIDTH = 780;
const FAILED = 'An error occurred while attempting to print. Please try again.';

const route = getRouteApi('/print');

/** One file of a message (`message.file`), or a print that is made in the background (its id). */
export function PrintPage() {
  const { job = '' } = route.useSearch();
  const [messageId = '', id = ''] = job.split('.');
  if (id) return <FilePrint id={id} messageId={messageId} />;
  if (job) return <TaskPrint id={job} />;
  return <ErrorState title="There is nothing to print" error={null} />;
}

function FilePrint(file: { id: string; messageId: string }) {
  const pdf = useQuery(pdfQuery(file));
  if (pdf.isError) return <ErrorState title={FAILED} error={null} onRetry={() => void pdf.refetch()} />;
  if (!pdf.data) return <p role="status">Preparing the pages</p>;
  return <Papers files={[pdf.data]} />;
}

/** Waits until the pages are made. */
function TaskPrint({ id }: { id: string }) {
  const task = useQuery(taskQuery(id));
  const isReady = task.data?.state === 'Ready';
  const list = useQuery({ ...taskFilesQuery(id), enabled: isReady });
  const positions = list.data?.items.map((file) => file.position);
  const pdfs = useQuery({
    queryKey: ['get', '/api/tasks/{id}/files/{position}' satisfies ApiPath, { params: { path: { id } } }],
    queryFn: async () => {
      const files: Blob[] = [];
      for (const position of positions ?? []) files.push(await (await fetchFile(id, position)).blob());
      return files;
    },
    enabled: Boolean(positions),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const failed = [task, list, pdfs].find((query) => query.isError);
  if (failed) return <ErrorState title={FAILED} error={null} onRetry={() => void failed.refetch()} />;
  if (task.data && !isReady && !task.data.worker.inProgress) return <ErrorState title={task.data.message} error={null} />;
  if (!pdfs.data) return <p role="status">Preparing the pages{task.data?.worker.inProgress && `: ${task.data.message}`}</p>;
  return <Papers files={pdfs.data} />;
}

/** Draws every page, then opens the browser's print dialog. */
function Papers({ files }: { files: Blob[] }) {
  const [counts, setCounts] = useState<ReadonlyMap<number, number>>(new Map());
  const drawn = useRef(new Set<string>());
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const drawnPage = (page: string) => {
    if (drawn.current.has(page)) return;
    drawn.current.add(page);
    if (counts.size === files.length && drawn.current.size === total) window.print();
  };
  // The number of pages is unknown until all are opened.
  const areOpened = counts.size === files.length;
  return files.map((file, at) => (
    <Document
      key={String(at)}
      file={file}
      options={options}
      suspense={false}
      loading={null}
      error={<ErrorState title={FAILED} error={null} />}
      onLoadSuccess={({ numPages }) => setCounts((before) => new Map(before).set(at, numPages))}
    >
      {areOpened &&
        Array.from({ length: counts.get(at) ?? 0 }, (_, i) => (
          <div key={String(i)} className="cp-paper">
            <Page
              pageNumber={i + 1}
              width={PAGE_WIDTH}
              devicePixelRatio={total > MANY_PAGES ? MODEST_SHARPNESS : SHARPNESS}
              renderTextLayer={false}
              renderAnnotationLayer={false}
              onRenderSuccess={() => drawnPage(`${at}.${i}`)}
            />
          </div>
        ))}
    </Document>
  ));
}
