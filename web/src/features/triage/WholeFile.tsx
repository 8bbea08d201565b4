import '@/domain/messaging/viewer/viewer.css';
import { useQuery } from '@tanstack/react-query';
import { IconFile } from '@tabler/icons-react';
import type { BatchFile } from '@/api/types';
import { carriesFile } from '@/domain/messaging/viewer/api';
import { CdaPage } from '@/domain/messaging/viewer/CdaPage';
import { Waiting } from '@/domain/messaging/viewer/Waiting';
import { ErrorState } from '@/shared/ui/blocks';
import { DownloadButton } from '@/shared/ui/DownloadButton';
import { readableQuery, saveOriginal } from './api';

type Props = { batch: string; file: BatchFile };

/** A file without pages: a clinical document as in its message, any other file by its name. */
export function WholeFile({ batch, file }: Props) {
  const isStructured = file.mimeType.includes('xml');
  const html = useQuery({ ...readableQuery(batch, file.id), enabled: isStructured });
  const download = <DownloadButton size="sm" label="Download the file" save={() => saveOriginal(batch, file.id, file.name)} />;
  if (html.isError) {
    return (
      <ErrorState title="This document could not be shown" error={html.error} onRetry={() => void html.refetch()}>
        {download}
      </ErrorState>
    );
  }
  if (isStructured && html.isPending) return <Waiting text="Opening the document" />;
  if (html.data && !carriesFile(html.data)) {
    return (
      <div className="cp-viewer tri-document">
        <CdaPage html={html.data} name={file.name} />
      </div>
    );
  }
  return (
    <div className="tri-whole tri-whole-large">
      <IconFile size={56} stroke={1.1} aria-hidden />
      <p>{file.name} is filed as it is.</p>
      {download}
    </div>
  );
}
