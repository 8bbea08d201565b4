import './viewer.css';
import { Button, Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconDownload, IconPrinter } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import { useFeature } from '@/app/session';
import type { Attachment } from '@/api/types';
import { reportFailure } from '@/shared/errors';
import { notify } from '@/shared/notify';
import { paths } from '@/shared/paths';
import { saveFile } from '@/shared/saveFile';
import { ErrorState } from '@/shared/ui/blocks';
import { extensionOf } from '../rules';
import { fetchOriginal, pdfQuery } from './api';
import { usePreview } from './usePreview';
import { Waiting } from './Waiting';

/* The PDF library is half a megabyte: only documents load it. */
const pdfView = () => import('./PdfView');
const PdfView = lazy(() => pdfView().then((m) => ({ default: m.PdfView })));
const CdaPreview = lazy(() => import('./CdaViews').then((m) => ({ default: m.CdaPreview })));
const CdaExplorer = lazy(() => import('./CdaViews').then((m) => ({ default: m.CdaExplorer })));

const isXml = (a: Attachment) => /xml/.test(a.mimeType) || ['xml', 'cda', 'ccd'].includes(extensionOf(a.fileName));

/** Opens the print page; it prints by itself once the document is drawn. */
export function printAttachment(a: Pick<Attachment, 'id' | 'messageId'>) {
  if (!window.open(paths.print(a.messageId, a.id), '_blank'))
    notify('error', 'An error occurred while attempting to print. Please try again.');
}

/** Whether the file was saved. */
export async function downloadOriginal(a: Attachment): Promise<boolean> {
  try {
    saveFile(await fetchOriginal(a), a.fileName);
    return true;
  } catch (error) {
    reportFailure(error, 'Unable to download the file.');
    return false;
  }
}

/** Shows one attachment of a message, whatever its type. */
export function Viewer({ attachment, onPrint }: { attachment: Attachment; onPrint?: () => void }) {
  const print = () => {
    printAttachment(attachment);
    onPrint?.();
  };
  return (
    <Suspense fallback={<div className="cp-viewer" />}>
      {isXml(attachment) ? (
        <XmlViewer key={attachment.id} attachment={attachment} onPrint={print} />
      ) : (
        <Pdf key={attachment.id} attachment={attachment} onPrint={print} />
      )}
    </Suspense>
  );
}

function XmlViewer({ attachment, onPrint }: { attachment: Attachment; onPrint: () => void }) {
  const explorer = useFeature('IntakeCdaViewer');
  const [tab, setTab] = useState<string | null>('preview');
  return (
    <Tabs value={tab} onChange={setTab} className="cp-viewer">
      <div className="cp-tools cp-tabtools">
        <Tabs.List>
          <Tabs.Tab value="preview">Preview</Tabs.Tab>
          {explorer && <Tabs.Tab value="explorer">CDA Explorer</Tabs.Tab>}
        </Tabs.List>
        <div className="cp-grow" />
        <Button size="xs" variant="subtle" leftSection={<IconPrinter size={16} stroke={1.6} />} onClick={onPrint}>
          Print
        </Button>
      </div>
      <Tabs.Panel value="preview" className="cp-tabbody">
        <CdaPreview attachment={attachment} file={<Pdf attachment={attachment} />} instead={<Download attachment={attachment} />} />
      </Tabs.Panel>
      {explorer && (
        <Tabs.Panel value="explorer" className="cp-tabbody">
          <CdaExplorer attachment={attachment} instead={<Download attachment={attachment} />} />
        </Tabs.Panel>
      )}
    </Tabs>
  );
}

const Download = ({ attachment }: { attachment: Attachment }) => (
  <Button variant="default" leftSection={<IconDownload size={16} stroke={1.6} />} onClick={() => void downloadOriginal(attachment)}>
    Download the file
  </Button>
);

function Pdf({ attachment, onPrint }: { attachment: Attachment; onPrint?: () => void }) {
  const preview = usePreview(attachment);
  const pdf = useQuery({ ...pdfQuery(attachment), enabled: preview.state === 'ready' });
  const download = <Download attachment={attachment} />;
  if (preview.state === 'failed') {
    return (
      <div className="cp-viewer">
        <ErrorState title="There is no preview of this file" error={new Error(preview.reason)} onRetry={preview.again}>
          {download}
        </ErrorState>
      </div>
    );
  }
  if (pdf.isError) {
    return (
      <div className="cp-viewer">
        <ErrorState title="The document could not be loaded" error={pdf.error} onRetry={() => void pdf.refetch()}>
          {download}
        </ErrorState>
      </div>
    );
  }
  if (!pdf.data) {
    return (
      <div className="cp-viewer">
        <div className="cp-tools" />
        <div className="cp-well cp-wellbox">
          <Waiting text={preview.state === 'waiting' ? 'Preview is being made. You can go on working.' : 'Opening the document'} />
        </div>
      </div>
    );
  }
  return <PdfView file={pdf.data} name={attachment.fileName} onPrint={onPrint} instead={download} />;
}
