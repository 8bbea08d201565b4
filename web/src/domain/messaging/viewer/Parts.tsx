import { ActionIcon, Button, UnstyledButton } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { IconDownload, IconFile } from '@tabler/icons-react';
import { lazy, type ReactNode, useState } from 'react';
import type { CachedDocument, FilePart } from '@/api/types';
import { reportFailure } from '@/shared/errors';
import { formatSize } from '@/shared/format';
import { saveFile } from '@/shared/saveFile';
import { ErrorState } from '@/shared/ui/blocks';
import { extensionOf } from '../rules';
import { cachedPdfQuery, fetchCached, openPart, partsQuery, type Source } from './api';
import { Waiting } from './Waiting';

const PdfView = lazy(() => import('./PdfView').then((m) => ({ default: m.PdfView })));

type Props = {
  source: Source;
  /** Name of the document itself. */
  name: string;
  hasParts: boolean;
  /** The document itself. */
  children: ReactNode;
};

/**
 * A document with the files in it above: attachments of a mail, documents of a package or a message. An opened file replaces the
 * document and shows its own files in turn.
 */
export function WithParts({ source, name, hasParts, children }: Props) {
  const parts = useQuery({ ...partsQuery(source), enabled: hasParts });
  const [shown, setShown] = useState<{ part: number; document: CachedDocument } | null>(null);
  const open = useMutation({
    mutationFn: (part: number) => openPart(source, part),
    onError: (error) => reportFailure(error, 'The file could not be opened. Please try again.', { serverFirst: true }),
  });
  const show = (part: number) => open.mutate(part, { onSuccess: (document) => setShown({ part, document }) });
  const showCarrier = () => {
    // A file that is still opening must not replace the document afterwards.
    open.reset();
    setShown(null);
  };
  if (parts.isError) {
    return (
      <div className="cp-withparts">
        <p className="cp-parts cp-partsfailed" role="alert">
          The files inside could not be listed.
          <Button size="compact-xs" variant="subtle" onClick={() => void parts.refetch()}>
            Try again
          </Button>
        </p>
        {children}
      </div>
    );
  }
  if (!parts.data?.length) return children;
  return (
    <div className="cp-withparts">
      <nav className="cp-parts" aria-label={`Files in ${name}`}>
        <ul>
          <li>
            <UnstyledButton className="cp-part" aria-current={!shown || undefined} onClick={showCarrier}>
              <span className="cp-ell">{name}</span>
            </UnstyledButton>
          </li>
          {parts.data.map((part) => (
            <Part
              key={part.part}
              part={part}
              source={source}
              isShown={shown?.part === part.part}
              isOpening={open.isPending && open.variables === part.part}
              onOpen={() => show(part.part)}
            />
          ))}
        </ul>
      </nav>
      {shown ? (
        <WithParts key={shown.document.cacheId} source={shown.document} name={shown.document.fileName} hasParts={shown.document.hasParts}>
          <CachedView document={shown.document} />
        </WithParts>
      ) : (
        children
      )}
    </div>
  );
}

type PartProps = { part: FilePart; source: Source; isShown: boolean; isOpening: boolean; onOpen: () => void };

function Part({ part, source, isShown, isOpening, onOpen }: PartProps) {
  const download = useMutation({
    mutationFn: async () => saveFile(await fetchCached(await openPart(source, part.part)), part.fileName),
    onError: (error) => reportFailure(error, 'Unable to download the file.', { serverFirst: true }),
  });
  const about = [part.title && part.fileName, formatSize(part.sizeInBytes), !part.isPreviewable && 'no preview'];
  const words = (
    <>
      <span className="cp-ext" aria-hidden>
        {extensionOf(part.fileName).slice(0, 4).toUpperCase() || <IconFile size={13} />}
      </span>
      <span className="cp-ell" title={part.fileName}>
        {part.title || part.fileName}
      </span>
      <span className="cp-muted cp-num">{about.filter(Boolean).join(' · ')}</span>
    </>
  );
  return (
    <li>
      {part.isPreviewable ? (
        <UnstyledButton className="cp-part" aria-current={isShown || undefined} aria-busy={isOpening || undefined} onClick={onOpen}>
          {words}
        </UnstyledButton>
      ) : (
        <span className="cp-part">{words}</span>
      )}
      <ActionIcon size={26} aria-label={`Download ${part.fileName}`} loading={download.isPending} onClick={() => download.mutate()}>
        <IconDownload size={15} stroke={1.6} />
      </ActionIcon>
    </li>
  );
}

function CachedView({ document }: { document: CachedDocument }) {
  const pdf = useQuery(cachedPdfQuery(document));
  const download = useMutation({
    mutationFn: async () => saveFile(await fetchCached(document), document.fileName),
    onError: (error) => reportFailure(error, 'Unable to download the file.', { serverFirst: true }),
  });
  const instead = (
    <Button
      variant="default"
      loading={download.isPending}
      leftSection={<IconDownload size={16} stroke={1.6} />}
      onClick={() => download.mutate()}
    >
      Download the file
    </Button>
  );
  if (pdf.isError) {
    return (
      <div className="cp-viewer">
        <ErrorState title="There is no preview of this file" error={pdf.error} onRetry={() => void pdf.refetch()}>
          {instead}
        </ErrorState>
      </div>
    );
  }
  if (!pdf.data) {
    return (
      <div className="cp-viewer">
        <div className="cp-tools" />
        <div className="cp-well cp-wellbox">
          <Waiting text="The preview is being created. You can keep working." />
        </div>
      </div>
    );
  }
  return <PdfView file={pdf.data} name={document.fileName} instead={instead} />;
}
