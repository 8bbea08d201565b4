import './viewer.css';
import { Button, Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconDownload, IconPrinter } from '@tabler/icons-react';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { useFeature } from '@/app/session';
import type { Attachment } from '@/api/types';
import { reportFailure } from '@/shared/errors';
import { notify } from '@/shared/notify';
import { paths } from '@/shared/paths';
import { saveFile } from '@/shared/saveFile';
import { ErrorState, Notice } from '@/shared/ui/blocks';
import { extensionOf } from '../rules';
import { fetchOriginal, pdfQuery } from './api';
import type { Marks } from './marks';
import { WithParts } from './Parts';
import { Locked, useMayOpen } from './restricted';
import { usePreview } from './usePreview';
import { Waiting } from './Waiting';

/* The PDF library is half a megabyte: only documents load it. */
const pdfView = () => import('./PdfView');
const PdfView = lazy(() => pdfView().then((m) => ({ default: m.PdfView })));
const CdaPreview = lazy(() => import('./CdaPreview').then((m) => ({ default: m.CdaPreview })));
const CdaExplorer = lazy(() => import('./explorer/CdaExplorer').then((m) => ({ default: m.CdaExplorer })));

/** Whether it is a clinical document. Unknown for some files: then XML is taken for one. */
const isClinical = (a: Attachment) =>
  a.isClinicalDocument ?? (/xml/.test(a.mimeType) || ['xml', 'cda', 'ccd'].includes(extensionOf(a.fileName)));

/** Nobody can open a file that waits for the malware scanner or is in quarantine. */
export const isHeld = (a: Attachment) => a.scanStatus === 'Waiting' || a.scanStatus === 'Infected';

/** Opens the print page; it prints automatically once the document is drawn. */
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

type ViewerProps = {
  attachment: Attachment;
  onPrint?: () => void;
  /** The file was saved on this computer. */
  onDownloaded?: () => void;
  /** The places of read values in it. */
  marks?: Marks;
};

/** Shows one attachment of a message, whatever its type. */
export function Viewer({ attachment, onPrint, onDownloaded, marks }: ViewerProps) {
  const mayOpen = useMayOpen();
  const print = () => {
    printAttachment(attachment);
    onPrint?.();
  };
  if (!mayOpen(attachment)) {
    return (
      <div className="cp-viewer">
        <Locked />
      </div>
    );
  }
  return (
    <Suspense fallback={<div className="cp-viewer" />}>
      {isHeld(attachment) ? (
        <Pdf key={attachment.id} attachment={attachment} />
      ) : isClinical(attachment) ? (
        <XmlViewer attachment={attachment} onPrint={print} />
      ) : (
        <WithParts key={attachment.id} source={attachment} name={attachment.fileName} hasParts={attachment.hasParts === true}>
          <Pdf attachment={attachment} onPrint={print} onDownloaded={onDownloaded} marks={marks} />
        </WithParts>
      )}
    </Suspense>
  );
}

function XmlViewer({ attachment, onPrint }: { attachment: Attachment; onPrint: () => void }) {
  const explorer = useFeature('IntakeCdaViewer');
  // Stays mounted while documents change, so that the preview can measure the pace; each document begins with its preview.
  const [chosen, choose] = useState<{ id: string; tab: string | null }>({ id: attachment.id, tab: 'preview' });
  const tab = chosen.id === attachment.id ? chosen.tab : 'preview';
  return (
    <Tabs value={tab} onChange={(value) => choose({ id: attachment.id, tab: value })} className="cp-viewer">
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
        <CdaPreview
          attachment={attachment}
          file={<Pdf key={attachment.id} attachment={attachment} />}
          instead={<Download attachment={attachment} />}
        />
      </Tabs.Panel>
      {explorer && (
        <Tabs.Panel value="explorer" className="cp-tabbody">
          <CdaExplorer key={attachment.id} attachment={attachment} instead={<Download attachment={attachment} />} />
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

const waitingFor = (a: Attachment) =>
  a.scanStatus === 'Waiting'
    ? 'The file is being checked for malware. You can keep working.'
    : 'The preview is being created. You can keep working.';

function Pdf({ attachment, onPrint, onDownloaded, marks }: ViewerProps) {
  const preview = usePreview(attachment);
  const pdf = useQuery({ ...pdfQuery(attachment), enabled: preview.state === 'ready' });
  const download = isHeld(attachment) ? null : <Download attachment={attachment} />;
  if (preview.state === 'failed') {
    return (
      <div className="cp-viewer">
        <ErrorState
          title={isHeld(attachment) ? 'This file cannot be opened' : 'There is no preview of this file'}
          error={new Error([preview.reason, attachment.nameNote].filter(Boolean).join(' '))}
          onRetry={preview.again}
        >
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
          <Waiting text={preview.state === 'waiting' ? waitingFor(attachment) : 'Opening the document'} />
        </div>
      </div>
    );
  }
  const save = () => void downloadOriginal(attachment).then((isSaved) => isSaved && onDownloaded?.());
  return (
    <Remarked remarks={[attachment.nameNote, attachment.previewError]}>
      <PdfView
        file={pdf.data}
        name={attachment.fileName}
        marks={marks}
        onPrint={onPrint}
        // A file within a clinical document has the tools of that.
        onDownload={onPrint && save}
        instead={download}
      />
    </Remarked>
  );
}

/** A document below notes on its actual type and its missing parts. */
function Remarked({ remarks, children }: { remarks: (string | null | undefined)[]; children: ReactNode }) {
  const said = remarks.filter(Boolean).join(' ');
  if (!said) return children;
  return (
    <div className="cp-withparts">
      <div className="cp-parts cp-partsfailed" role="alert">
        <Notice kind="warning">{said}</Notice>
      </div>
      {children}
    </div>
  );
}
