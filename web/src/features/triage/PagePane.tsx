import { ActionIcon, Tooltip } from '@mantine/core';
import { IconChevronLeft, IconChevronRight, IconRotateClockwise, IconZoomIn, IconZoomOut } from '@tabler/icons-react';
import { useState } from 'react';
import type { Batch, BatchFile } from '@/api/types';
import { ErrorState } from '@/shared/ui/blocks';
import { DownloadButton } from '@/shared/ui/DownloadButton';
import { PagePicture } from '@/shared/ui/PagePicture';
import { saveOriginal } from './api';
import { useLargePage } from './pictures';
import { pageName } from './PartRow';
import type { Selection } from './useBoard';
import { WholeFile } from './WholeFile';

type Props = { batch: Batch; files: ReadonlyMap<number, BatchFile>; selection: Selection; onRotate: () => void };

/** The page with the cursor, in readable size. */
export function PagePane({ batch, files, selection, onRotate }: Props) {
  const { page, index, count, step } = selection;
  const file = page && files.get(page.file);
  const [isLarge, setLarge] = useState(false);
  const { url, error, retry } = useLargePage(batch, file, page);
  if (!page || !file) return null;
  const name = pageName(page, files);
  const isAcross = page.turn % 2 === 1;
  return (
    <aside className="tri-pane" aria-label="The page">
      <div className="tri-pane-head">
        <b className="cp-ell" title={name}>
          {name}
        </b>
        <span className="cp-muted cp-num cp-grow">
          {index + 1} of {count}
        </span>
        <ActionIcon aria-label="Previous page" disabled={index <= 0} onClick={() => step(-1, false)}>
          <IconChevronLeft size={17} stroke={1.6} />
        </ActionIcon>
        <ActionIcon aria-label="Next page" disabled={index >= count - 1} onClick={() => step(1, false)}>
          <IconChevronRight size={17} stroke={1.6} />
        </ActionIcon>
        <Tooltip label="Rotate">
          <ActionIcon aria-label="Rotate this page" disabled={file.isWhole} onClick={onRotate}>
            <IconRotateClockwise size={17} stroke={1.6} />
          </ActionIcon>
        </Tooltip>
        <ActionIcon
          disabled={file.isWhole}
          aria-label={isLarge ? 'Fit the page' : 'Enlarge the page'}
          aria-pressed={isLarge}
          onClick={() => setLarge(!isLarge)}
        >
          {isLarge ? <IconZoomOut size={17} stroke={1.6} /> : <IconZoomIn size={17} stroke={1.6} />}
        </ActionIcon>
      </div>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls */}
      <section className="tri-stage" data-large={isLarge || undefined} tabIndex={isLarge ? 0 : undefined} aria-label={name}>
        {file.isWhole ? (
          <WholeFile key={file.id} batch={batch.id} file={file} />
        ) : error ? (
          <ErrorState title="This page could not be loaded" error={error} onRetry={retry} />
        ) : url ? (
          <PagePicture
            src={url}
            alt={name}
            data-turn={page.turn || undefined}
            data-across={isAcross || undefined}
            onRetry={retry}
            instead={<DownloadButton size="sm" label="Download the file" save={() => saveOriginal(batch.id, file.id, file.name)} />}
          />
        ) : (
          <div className="tri-bone cp-bone" role="status" aria-label="Loading" />
        )}
      </section>
      {page.straighten && <p className="cp-muted tri-pane-note">Shown as it was scanned. In the document it will be straight.</p>}
    </aside>
  );
}
