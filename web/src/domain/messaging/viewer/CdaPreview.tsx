import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Attachment } from '@/api/types';
import { useDebounced } from '@/shared/debounce';
import { ErrorState } from '@/shared/ui/blocks';
import { carriesFile, htmlQuery } from './api';
import { CdaPage } from './CdaPage';
import { Waiting } from './Waiting';

const CDA_DELAY_MS = 300;

/**
 * The readable page of a clinical document, or the file that it carries. Paging quickly through files requests only the last one.
 * `instead` is offered if it cannot be shown.
 */
export function CdaPreview({ attachment, file, instead }: { attachment: Attachment; file: ReactNode; instead: ReactNode }) {
  const settled = useDebounced(attachment.id, CDA_DELAY_MS);
  const html = useQuery({ ...htmlQuery(attachment), enabled: settled === attachment.id });
  if (html.isError) {
    return (
      <ErrorState
        title="This document could not be shown"
        error={attachment.previewError ? new Error(attachment.previewError) : html.error}
        onRetry={() => void html.refetch()}
      >
        {instead}
      </ErrorState>
    );
  }
  if (!html.data) return <Waiting text="Opening the document" />;
  if (carriesFile(html.data)) return file;
  return <CdaPage key={attachment.id} html={html.data} name={attachment.fileName} />;
}
