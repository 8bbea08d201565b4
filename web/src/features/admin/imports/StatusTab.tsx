import { Button, Progress } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconAlertTriangle, IconDownload, IconTableImport } from '@tabler/icons-react';
import { quiet } from '@/api/client';
import { queryOf } from '@/api/query';
import type { ImportBatch, ImportItem } from '@/api/types';
import { CrudSection } from '@/shared/crud/CrudPage';
import { formatCount, formatDateTime, truncate } from '@/shared/format';
import { useRun } from '@/shared/ui/AskDialog';
import { ErrorState } from '@/shared/ui/blocks';
import { HoverPopover } from '@/shared/ui/HoverPopover';
import { Status } from '@/shared/ui/status';
import { batchesQuery, saveFailedRows } from './api';
import classes from './imports.module.css';

const NAME_SHOWN = 60;

const CONTACT: Record<ImportItem['primaryContactStatus'], string> = {
  Waiting: 'Waiting',
  Saved: 'Saved',
  Unchanged: 'Unchanged',
  NotSaved: 'Not saved',
  Invalid: 'Invalid',
};

/** The result of a row, with its problems behind a button. */
function Outcome({ state, of, errors }: { state: string; of: string; errors: string[] }) {
  return (
    <span className="cp-cell">
      <Status state={state} />
      {errors.length > 0 && (
        <HoverPopover label={`Problems of ${of}`} icon={<IconAlertTriangle size={15} stroke={1.8} />} title="Problems">
          <ul>
            {errors.map((error) => (
              <li key={error}>{error}</li>
            ))}
          </ul>
        </HoverPopover>
      )}
    </span>
  );
}

const itemErrors = (item: ImportItem) => (item.itemError ? [item.itemError] : []);

/** The progress of each file, with the results of its rows. */
export function StatusTab() {
  const batches = useQuery(batchesQuery);
  const done = batches.data?.reduce((sum, b) => sum + b.total - b.waiting, 0);
  return (
    <>
      {batches.error && !batches.data && (
        <ErrorState title="The imported files could not be loaded" error={batches.error} onRetry={() => void batches.refetch()} />
      )}
      {Boolean(batches.data?.length) && (
        <ul className={classes.batches} aria-label="Imported files">
          {batches.data?.map((batch) => (
            <Batch key={batch.id} batch={batch} />
          ))}
        </ul>
      )}
      <CrudSection
        title="Rows"
        noun="row"
        icon={IconTableImport}
        list={({ page, size, filter }) => {
          const asked = {
            batchId: filter('batch'),
            itemStatus: filter('status') as ImportItem['itemStatus'] | undefined,
            pageNumber: page,
            pageSize: size,
          };
          // The rows are refetched as the import continues.
          const rows = queryOf('get', '/api/admin/import', { params: { query: asked }, ...quiet });
          return { ...rows, queryKey: [...rows.queryKey, done] };
        }}
        columns={[
          { key: 'key', title: 'Key', primary: true, text: (i) => i.key },
          {
            key: 'itemStatus',
            title: 'Item status',
            width: 160,
            render: (i) => <Outcome state={i.itemStatus} of={i.key} errors={itemErrors(i)} />,
          },
          {
            key: 'contact',
            title: 'Primary contact status',
            width: 180,
            render: (i) => <Outcome state={CONTACT[i.primaryContactStatus]} of={`the contact of ${i.key}`} errors={i.pcsErrors} />,
          },
          { key: 'type', title: 'Batch type', width: 120, drop: 2, text: (i) => i.batchType },
          {
            key: 'file',
            title: 'File name',
            width: 240,
            drop: 1,
            text: (i) => i.fileName,
            render: (i) => truncate(i.fileName, NAME_SHOWN),
          },
          { key: 'batchStatus', title: 'Batch status', width: 140, render: (i) => <Status state={i.batchStatus} /> },
        ]}
        filters={[
          {
            name: 'status',
            label: 'Item status',
            choices: (['Waiting', 'Created', 'Exists', 'Failed'] as const).map((value) => ({ value, label: value })),
          },
          {
            name: 'batch',
            label: 'File',
            choices: (batches.data ?? []).map((b) => ({
              value: b.id,
              label: `${truncate(b.fileName, 30)}, ${formatDateTime(b.createDate)}`,
            })),
          },
        ]}
        badge={(i) => <Status state={i.itemStatus} />}
        second={(i) => <span className="cp-ell">{[...itemErrors(i), ...i.pcsErrors].join(' ') || truncate(i.fileName, NAME_SHOWN)}</span>}
        words={{ empty: 'Nothing was imported yet', emptyText: 'Import a file on the tab Organizations.' }}
      />
    </>
  );
}

function Batch({ batch }: { batch: ImportBatch }) {
  const rows = useRun({ run: () => saveFailedRows(batch.id), failed: 'The rows could not be downloaded. Please try again.' });
  const done = batch.total - batch.waiting;
  const facts = [
    `${formatCount(done)} of ${formatCount(batch.total)} rows`,
    `${formatCount(batch.created)} created`,
    batch.existing > 0 && `${formatCount(batch.existing)} already existed`,
    batch.failed > 0 && `${formatCount(batch.failed)} failed`,
  ].filter(Boolean);
  return (
    <li className={classes.batch}>
      <span>
        <b className="cp-strong cp-ell">{truncate(batch.fileName, NAME_SHOWN)}</b>
        <span className="cp-muted cp-block">{facts.join(', ')}</span>
      </span>
      <Progress
        className={classes.bar}
        value={batch.total ? (100 * done) / batch.total : 100}
        aria-label={`Progress of ${batch.fileName}`}
        color={batch.failed > 0 ? 'orange' : undefined}
      />
      <span className="cp-row">
        <Status state={batch.batchStatus} />
        {batch.failed > 0 && (
          <Button
            size="xs"
            variant="default"
            leftSection={<IconDownload size={14} stroke={1.6} />}
            loading={rows.isPending}
            onClick={() => rows.mutate()}
          >
            Rows to correct
          </Button>
        )}
      </span>
    </li>
  );
}
