import './triage.css';
import { Button, Menu, Progress } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconArrowsSplit2, IconFolderOpen, IconQrcode, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import type { BatchRow } from '@/api/types';
import { BatchUpload } from '@/domain/messaging/triage/BatchUpload';
import { batchesQuery } from '@/domain/messaging/triage/upload';
import { formatCount, formatWhen, plural } from '@/shared/format';
import { paths } from '@/shared/paths';
import { type Column, DataTable } from '@/shared/table/DataTable';
import { useColumnMenus } from '@/shared/table/useColumnMenus';
import { AppLink, useGo } from '@/shared/ui/AppLink';
import { EmptyState, ErrorState } from '@/shared/ui/blocks';
import { PageHead } from '@/shared/ui/PageHead';
import { Who } from '@/shared/ui/status';
import { useViewport } from '@/shared/useViewport';
import { titleOf } from './BatchPage';
import { SheetDialog } from './SheetDialog';
import { useDiscardBatch, useDiscardFailed } from './useDiscardBatch';

const POLL_MS = 2000;
const nameOf = (b: BatchRow) => titleOf(b.fileNames);

function stateOf(b: BatchRow) {
  if (b.isReading) return `Reading, ${b.pagesRead} of ${plural(b.pageCount, 'page')}`;
  if (b.state === 'Filing' && b.failedCount > 0) return `${plural(b.failedCount, 'document')} not made, ${b.filedCount} in the Intake`;
  if (b.state === 'Filing') return `Filing, ${b.filedCount} in the Intake`;
  if (b.filedCount > 0) return `${plural(b.documentCount - b.filedCount, 'document')} to change, ${b.filedCount} in the Intake`;
  return b.documentCount === 0 ? 'Nothing to file yet' : `Split into ${plural(b.documentCount, 'document')}`;
}

/** Whether the server is working on it. */
const isAtWork = (b: BatchRow) => b.isReading || (b.state === 'Filing' && b.filedCount + b.failedCount < b.documentCount);

function Progressed({ batch: b }: { batch: BatchRow }) {
  return (
    <span className="tri-state">
      <span className="cp-ell">{stateOf(b)}</span>
      {b.isReading && b.pageCount > 0 && (
        <Progress value={(b.pagesRead / b.pageCount) * 100} size="xs" animated aria-label={`${nameOf(b)}: pages read`} />
      )}
    </span>
  );
}

const columns: Column<BatchRow>[] = [
  { key: 'name', title: 'Files', primary: true, text: nameOf },
  { key: 'state', title: 'Progress', width: 260, render: (b) => <Progressed batch={b} /> },
  { key: 'pages', title: 'Pages', width: 90, align: 'right', numeric: true, text: (b) => formatCount(b.pageCount) },
  {
    key: 'refused',
    title: 'Not usable',
    width: 110,
    drop: 1,
    numeric: true,
    text: (b) => (b.refusedCount > 0 ? plural(b.refusedCount, 'file') : ''),
  },
  {
    key: 'by',
    title: 'Uploaded by',
    width: 190,
    drop: 2,
    text: (b) => b.createdBy.name,
    render: (b) => (
      <span className="cp-row">
        <Who name={b.createdBy.name} />
        <span className="cp-ell">{b.createdBy.name}</span>
      </span>
    ),
  },
  { key: 'when', title: 'Uploaded', width: 150, numeric: true, drop: 3, text: (b) => formatWhen(b.createdDate) },
];

/** Batches whose pages wait to be sorted. */
export function BatchesPage() {
  const { isPhone } = useViewport();
  const go = useGo();
  const query = useQuery({
    ...batchesQuery,
    refetchInterval: (q) => (q.state.data?.some(isAtWork) ? POLL_MS : false),
  });
  const [discard, question] = useDiscardBatch();
  const [isPrinting, print] = useState(false);
  const [discardFailed, failedQuestion] = useDiscardFailed();
  const empty = (
    <EmptyState
      icon={IconArrowsSplit2}
      title="No batches to sort"
      text="Upload scanned stacks, photos or PDF files, or drop them here. Their pages become documents of the Intake."
    />
  );
  const isEmpty = query.data?.length === 0;
  const menus = useColumnMenus(columns, query.data, ['name', 'by']);
  const noMatch = (
    <EmptyState icon={IconArrowsSplit2} title="No batch matches these filters">
      <Button variant="default" onClick={menus.clear}>
        Clear filters
      </Button>
    </EmptyState>
  );
  return (
    <>
      <PageHead
        title="Triage"
        actions={
          <>
            {!isPhone && (
              <Button variant="subtle" leftSection={<IconQrcode size={16} stroke={1.6} />} onClick={() => print(true)}>
                Separator sheet
              </Button>
            )}
            <BatchUpload />
          </>
        }
      />
      {isPhone ? (
        query.error && !query.data ? (
          <ErrorState title="The batches could not be loaded" error={query.error} onRetry={() => void query.refetch()} />
        ) : isEmpty ? (
          empty
        ) : (
          <ul className="tri-cards">
            {query.data?.map((b) => (
              <li key={b.id}>
                <AppLink href={paths.triageBatch(b.id)}>
                  <b className="cp-ell">{nameOf(b)}</b>
                  <Progressed batch={b} />
                  <span className="cp-muted">
                    {b.createdBy.name} · {formatWhen(b.createdDate)}
                  </span>
                </AppLink>
              </li>
            ))}
          </ul>
        )
      ) : (
        <DataTable
          label="Batches"
          columns={menus.columns}
          order={menus.order}
          rows={menus.rows}
          rowId={(b) => b.id}
          rowName={nameOf}
          error={query.error}
          errorTitle="The batches could not be loaded"
          onRetry={() => void query.refetch()}
          empty={menus.isFiltered ? noMatch : empty}
          href={(b) => paths.triageBatch(b.id)}
          rowMenu={(b) => (
            <>
              <Menu.Item leftSection={<IconFolderOpen size={16} stroke={1.6} />} onClick={() => go(paths.triageBatch(b.id))}>
                Open
              </Menu.Item>
              {b.filedCount + b.failedCount > 0 && !isAtWork(b) && (
                <Menu.Item
                  data-danger
                  leftSection={<IconTrash size={16} stroke={1.6} />}
                  onClick={() => discardFailed(b.id, nameOf(b), b.filedCount)}
                >
                  Discard failed documents
                </Menu.Item>
              )}
              {b.state === 'Open' && b.filedCount === 0 && (
                <Menu.Item data-danger leftSection={<IconTrash size={16} stroke={1.6} />} onClick={() => discard(b.id, nameOf(b))}>
                  Discard
                </Menu.Item>
              )}
            </>
          )}
        />
      )}
      {isPrinting && <SheetDialog onClose={() => print(false)} />}
      {question}
      {failedQuestion}
    </>
  );
}
