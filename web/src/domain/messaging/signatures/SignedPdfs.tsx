import { Button } from '@mantine/core';
import type { SignedPdf } from '@/api/types';
import { formatDateTime } from '@/shared/format';
import { useRun } from '@/shared/ui/AskDialog';
import { DownloadButton } from '@/shared/ui/DownloadButton';
import { Notice } from '@/shared/ui/blocks';
import { Status } from '@/shared/ui/status';
import { saveSignedPdf, useSigning } from './api';

const STATES: Record<SignedPdf['state'], { state: string; words: string }> = {
  Making: { state: 'Sending', words: 'Being signed' },
  Ready: { state: 'Signed', words: 'Signed PDF ready' },
  Failed: { state: 'Failed', words: 'Signed PDF failed' },
};

function Row({ messageId, pdf }: { messageId: string; pdf: SignedPdf }) {
  const { retry } = useSigning(messageId);
  const again = useRun({
    run: () => retry(pdf.attachmentId),
    failed: 'The signed PDF could not be made. Please try again.',
  });
  const { state, words } = STATES[pdf.state];
  const names = pdf.signedBy.map((person) => person.name).join(', ');
  return (
    <li>
      <div className="cp-row">
        <b className="cp-grow cp-ell" title={pdf.fileName}>
          {pdf.fileName}
        </b>
        <Status state={state}>{words}</Status>
      </div>
      {names && (
        <p className="cp-muted cp-tiny cp-num">
          Signed by {names}
          {pdf.readyOn && `, ${formatDateTime(pdf.readyOn)}`}
        </p>
      )}
      {pdf.state === 'Failed' && <Notice kind="error">The signed PDF could not be made. {pdf.problem}</Notice>}
      {pdf.lacksTimestamp && <Notice kind="warning">It has no timestamp, because the time stamping authority did not answer.</Notice>}
      {pdf.isOutdated && <Notice kind="warning">The document was changed after this PDF was signed.</Notice>}
      <div className="cp-row">
        {pdf.signedBy.length > 0 && (
          <DownloadButton label="Download signed PDF" of={pdf.fileName} size="sm" save={() => saveSignedPdf(messageId, pdf)} />
        )}
        {pdf.state === 'Failed' && (
          <Button
            size="sm"
            variant="default"
            aria-label={`Retry: ${pdf.fileName}`}
            loading={again.isPending}
            onClick={() => again.mutate()}
          >
            Retry
          </Button>
        )}
      </div>
    </li>
  );
}

/** The signed documents as PDF: what is being made, and what can be downloaded. */
export function SignedPdfs({ messageId, pdfs }: { messageId: string; pdfs: SignedPdf[] }) {
  if (pdfs.length === 0) return null;
  return (
    <ul className="sgn-list sgn-pdfs" aria-label="Signed PDFs">
      {pdfs.map((pdf) => (
        <Row key={`${pdf.attachmentId} ${pdf.isOutdated}`} messageId={messageId} pdf={pdf} />
      ))}
    </ul>
  );
}
