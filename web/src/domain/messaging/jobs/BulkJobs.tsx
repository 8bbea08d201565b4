import './jobs.css';
import { Button, Progress } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import type { BulkJob } from '@/api/types';
import { now } from '@/shared/clock';
import { formatCount } from '@/shared/format';
import { paths } from '@/shared/paths';
import { readJson, sessionStore } from '@/shared/storage';
import { ListFooter } from '@/shared/table/ListFooter';
import { ErrorState } from '@/shared/ui/blocks';
import { Dialog } from '@/shared/ui/Dialog';
import { offerUndo } from '@/shared/undo';
import { useListsChanged } from '../DeleteMessageDialog';
import { RefusedList } from '../RefusedList';
import { jobsQuery, OPPOSITES, refusedQuery, useStartJob, useStopJob } from './api';
import { jobShare, jobWords } from './words';

/** Time for which an ended job is shown, in ms. */
const SHOWN_MS = 60 * 60_000;
const PAGE_SIZE = 10;
const CLOSED = 'bulkJobs.closed';

const isShown = (job: BulkJob, closed: readonly string[]) =>
  job.state === 'Running' ||
  (!closed.includes(job.id) && job.endedOn != null && now().getTime() - new Date(job.endedOn).getTime() < SHOWN_MS);

/** Bulk jobs on all matching messages: progress, refusals, stop and undo. */
export function BulkJobs() {
  const { data } = useQuery(jobsQuery);
  const [closed, setClosed] = useState<string[]>(() => readJson<string[]>(sessionStore, CLOSED) ?? []);
  const [shown, show] = useState<BulkJob | null>(null);
  const start = useStartJob();
  const stop = useStopJob();
  const listsChanged = useListsChanged();
  const close = (id: string) => {
    const all = [...closed, id];
    sessionStore.set(CLOSED, JSON.stringify(all));
    setClosed(all);
  };
  const undo = async (job: BulkJob) => {
    const act = OPPOSITES[job.act];
    if (act) await start.mutateAsync({ act, undo: job.id });
    close(job.id);
    // The job that undoes it is visible, and shows the progress.
    return 'told' as const;
  };
  // Only the newest: the job that undoes an older one tells about it.
  const job = data?.find((j) => isShown(j, closed));
  const canUndo = (j: BulkJob) => j.state !== 'Running' && j.done > 0 && OPPOSITES[j.act] !== undefined;

  const ended = useEffectEvent((j: BulkJob) => {
    listsChanged();
    if (canUndo(j)) offerUndo(jobWords(j), () => undo(j));
  });
  const running = useRef<string | null>(null);
  useEffect(() => {
    if (!job) return;
    if (job.state === 'Running') running.current = job.id;
    else if (running.current === job.id) {
      running.current = null;
      ended(job);
    }
  }, [job]);

  if (!job) return null;
  const isRunning = job.state === 'Running';
  return (
    <section className="cp-row blk-job" aria-label="Bulk action">
      <span role="status" className="cp-num">
        {jobWords(job)}
      </span>
      {isRunning && <Progress className="cp-grow" size="sm" value={jobShare(job)} aria-label="Progress" />}
      {!isRunning && <div className="cp-grow" />}
      {job.refused > 0 && (
        <Button size="xs" variant="subtle" onClick={() => show(job)}>
          Show refused
        </Button>
      )}
      {isRunning ? (
        <Button size="xs" variant="default" loading={stop.isPending} onClick={() => stop.mutate(job.id)}>
          Stop
        </Button>
      ) : (
        <>
          {canUndo(job) && (
            <Button size="xs" variant="subtle" loading={start.isPending} onClick={() => void undo(job).catch(() => {})}>
              Undo
            </Button>
          )}
          <Button size="xs" variant="subtle" onClick={() => close(job.id)}>
            Close
          </Button>
        </>
      )}
      {shown && (
        <JobRefusedDialog
          job={shown}
          busy={start.isPending}
          onClose={() => show(null)}
          onConfirm={() =>
            start.mutate(
              { act: 'process', acceptsGaps: true, confirm: shown.id },
              {
                onSuccess: () => {
                  close(shown.id);
                  show(null);
                },
              },
            )
          }
        />
      )}
    </section>
  );
}

type RefusedProps = { job: BulkJob; busy: boolean; onClose: () => void; onConfirm: () => void };

/** The messages refused by a job, with reasons. Some are processed once a person confirms their gaps. */
function JobRefusedDialog({ job, busy, onClose, onConfirm }: RefusedProps) {
  const [page, setPage] = useState(1);
  const { data, error, refetch } = useQuery(refusedQuery(job.id, page, PAGE_SIZE));
  const canConfirm = job.state !== 'Running' && job.act === 'process' && Boolean(data?.items.some((r) => r.canBeConfirmed));
  return (
    <Dialog
      opened
      onClose={onClose}
      title={`${formatCount(job.refused)} refused`}
      footer={
        <>
          <div className="cp-grow" />
          <Button size="md" variant="default" data-autofocus onClick={onClose}>
            Close
          </Button>
          {canConfirm && (
            <Button size="md" color="red" loading={busy} onClick={onConfirm}>
              File without patient or type
            </Button>
          )}
        </>
      }
    >
      {error && <ErrorState title="The messages could not be loaded" error={error} onRetry={() => void refetch()} />}
      {!error && <RefusedList rows={data?.items} hrefOf={paths.intakeMessage} />}
      {data && data.totalCount > PAGE_SIZE && (
        <ListFooter
          page={page}
          size={PAGE_SIZE}
          count={data.items.length}
          total={data.totalCount}
          capped={data.totalIsCapped}
          onPage={setPage}
          noun="messages"
        />
      )}
    </Dialog>
  );
}
