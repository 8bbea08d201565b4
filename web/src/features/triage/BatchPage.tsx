import './triage.css';
import { Button, Loader, Menu, Progress } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { IconCheck, IconDownload, IconFileOff, IconInbox, IconTrash } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { ApiError } from '@/api/client';
import { refreshOnly } from '@/api/query';
import type { Batch, BatchFile } from '@/api/types';
import { refreshIntake } from '@/domain/messaging/api';
import { BatchUpload } from '@/domain/messaging/triage/BatchUpload';
import { formatCount, formatWhen, plural } from '@/shared/format';
import { notify } from '@/shared/notify';
import { paths } from '@/shared/paths';
import { AppLink, useGo } from '@/shared/ui/AppLink';
import { BackHead } from '@/shared/ui/BackHead';
import { EmptyState, ErrorState, NoticeList } from '@/shared/ui/blocks';
import { MoreMenu } from '@/shared/ui/MoreMenu';
import { Status } from '@/shared/ui/status';
import { batchQuery, fileBatch, isBusy, saveOriginal, savePlan } from './api';
import { Board } from './Board';
import { planOf } from './plan';
import { useDiscardBatch, useDiscardFailed } from './useDiscardBatch';

const POLL_MS = 1000;

export const titleOf = (names: string[]) => {
  const [first, ...rest] = names;
  if (first === undefined) return 'Empty batch';
  return rest.length > 0 ? `${first} and ${plural(rest.length, 'other file')}` : first;
};

const countPages = (files: BatchFile[]) => files.reduce((sum, f) => sum + (f.state === 'Refused' ? 0 : f.pageCount), 0);

/** A batch of uploaded files, from reading its pages to its documents in the Intake. */
export function BatchPage() {
  const { id } = useParams({ from: '/_app/triage/$id' });
  const query = useQuery({ ...batchQuery(id), refetchInterval: (q) => (isBusy(q.state.data) ? POLL_MS : false) });
  const go = useGo();
  const client = useQueryClient();
  const batch = query.data;
  if (!batch) {
    return query.error ? (
      <>
        <BackHead title="Batch" back={{ label: 'Back to Triage', run: () => go(paths.triage) }} />
        <ErrorState title="This batch could not be loaded" error={query.error} onRetry={() => void query.refetch()} />
      </>
    ) : (
      <div className="tri-center" role="status" aria-label="Loading">
        <Loader />
      </div>
    );
  }
  const show = (next: Batch) => {
    client.setQueryData(batchQuery(id).queryKey, next);
    void refreshOnly(client, '/api/triage');
    void refreshIntake(client);
  };
  const reload = () => void query.refetch();
  const isReading = batch.files.some((f) => f.state === 'Reading');
  const refused = batch.files.filter((f) => f.state === 'Refused');
  const notices = (
    <NoticeList
      kind="warning"
      title={refused.length === 1 ? 'One file cannot be used; the others can.' : `${refused.length} files cannot be used; the others can.`}
      messages={refused.map((f) => `“${f.name}”: ${f.problem}`)}
    />
  );
  const head = (line: string, actions: ReactNode, isOpen: boolean, flush?: () => Promise<boolean>) => (
    <Head batch={batch} line={line} actions={actions} isOpen={isOpen} flush={flush} onChanged={reload} />
  );
  if (batch.state !== 'Open') {
    return (
      <>
        {head('', null, false)}
        <Filed batch={batch} onChanged={show} onReload={reload} />
      </>
    );
  }
  if (isReading) {
    return (
      <>
        {head('', null, true)}
        <Reading batch={batch} />
      </>
    );
  }
  if (batch.parts.length === 0 && batch.leftOut.length === 0) {
    return (
      <>
        {head('', null, true)}
        <div className="tri-notices">{notices}</div>
        <EmptyState icon={IconFileOff} title="There are no pages" text="Add a file, or discard the batch." />
      </>
    );
  }
  return (
    <Board
      key={`${batch.id} ${query.dataUpdatedAt}`}
      batch={batch}
      notices={notices}
      head={({ line, actions, flush }) => head(line, actions, true, flush)}
      onFiled={show}
      onReload={reload}
    />
  );
}

type HeadProps = {
  batch: Batch;
  line: string;
  actions: ReactNode;
  isOpen: boolean;
  /** Saves the changes; impossible while files are read. */
  flush?: () => Promise<boolean>;
  onChanged: () => void;
};

function Head({ batch, line, actions, isOpen, flush, onChanged }: HeadProps) {
  const go = useGo();
  const title = titleOf(batch.files.map((f) => f.name));
  const [discard, question] = useDiscardBatch(() => go(paths.triage));
  const filed = batch.documents.filter((d) => d.isFiled).length;
  const [discardFailed, failedQuestion] = useDiscardFailed(() => go(paths.triage));
  const settle = async () => {
    const isSaved = !flush || (await flush());
    if (!isSaved) notify('warning', 'Your changes to this batch are not saved yet. You can add files once they are.');
    return isSaved;
  };
  const pages = countPages(batch.files);
  const facts = [plural(pages, 'page'), batch.createdBy.name, formatWhen(batch.createdDate), line].filter(Boolean);
  return (
    <>
      <BackHead
        title={title}
        back={{ label: 'Back to Triage', run: () => go(paths.triage) }}
        beside={<Status state={batch.state === 'Filed' ? 'Triaged' : batch.state === 'Filing' ? 'Pending' : 'Uploaded'} />}
        line={<span className="cp-num">{facts.join(' · ')}</span>}
        actions={
          <>
            {isOpen && <BatchUpload batch={batch.id} label="Add files" before={settle} onAdded={onChanged} />}
            <MoreMenu label="Originals and more" isFramed>
              <Menu.Label>Originals</Menu.Label>
              {batch.files.map((f) => (
                <Menu.Item
                  key={f.id}
                  leftSection={<IconDownload size={16} stroke={1.6} />}
                  onClick={() => void saveOriginal(batch.id, f.id, f.name)}
                >
                  {f.name}
                </Menu.Item>
              ))}
              {isOpen && (
                <>
                  <Menu.Divider />
                  <Menu.Item
                    data-danger
                    leftSection={<IconTrash size={16} stroke={1.6} />}
                    onClick={() => (filed > 0 ? discardFailed(batch.id, title, filed) : discard(batch.id, title))}
                  >
                    {filed > 0 ? 'Discard the rest' : 'Discard batch'}
                  </Menu.Item>
                </>
              )}
            </MoreMenu>
            {actions}
          </>
        }
      />
      {question}
      {failedQuestion}
    </>
  );
}

/** The progress of reading the pages. */
function Reading({ batch }: { batch: Batch }) {
  const usable = batch.files.filter((f) => f.state !== 'Refused');
  const total = countPages(usable);
  const read = usable.reduce((sum, f) => sum + (f.state === 'Ready' ? f.pageCount : f.pages.length), 0);
  return (
    <div className="tri-center">
      <div className="tri-progress">
        <h2>Reading the pages</h2>
        <p className="cp-second cp-num" role="status">
          {total > 0 ? `${formatCount(read)} of ${plural(total, 'page')}` : 'Opening the files …'}
        </p>
        <Progress value={total > 0 ? (read / total) * 100 : 5} animated aria-label="Pages read" />
        <p className="cp-muted">Separator sheets and blank pages are found. You can leave this page; reading continues.</p>
      </div>
    </div>
  );
}

/** The progress of filing the documents, with links to them. */
function Filed({ batch, onChanged, onReload }: { batch: Batch; onChanged: (batch: Batch) => void; onReload: () => void }) {
  const go = useGo();
  const done = batch.documents.filter((d) => d.isFiled);
  const failed = batch.documents.filter((d) => d.problem);
  const again = useMutation({ mutationFn: () => fileBatch(batch.id, batch.version), onSuccess: onChanged });
  // Saving the unchanged plan of the failed documents opens the batch again.
  const change = useMutation({
    mutationFn: () => savePlan(batch.id, planOf(batch), batch.version),
    onSuccess: onChanged,
    onError: (error) => {
      notify('error', error instanceof ApiError ? error.message : 'The batch could not be opened again. Please try again.');
      onReload();
    },
  });
  const isOver = batch.state === 'Filed';
  const [discardFailed, question] = useDiscardFailed(() => (done.length > 0 ? onReload() : go(paths.triage)));
  return (
    <div className="tri-filed">
      <h2>
        {isOver
          ? `${plural(done.length, 'document')} in the Intake`
          : `${done.length} of ${plural(batch.documents.length, 'document')} in the Intake`}
      </h2>
      {!isOver && failed.length === 0 && (
        <Progress value={(done.length / batch.documents.length) * 100} animated aria-label="Documents filed" />
      )}
      {failed.length > 0 && (
        <>
          <NoticeList kind="error" title="Some documents could not be created:" messages={failed.map((d) => `“${d.name}”: ${d.problem}`)} />
          <div className="cp-row">
            <Button variant="default" loading={again.isPending} onClick={() => again.mutate()}>
              Try again
            </Button>
            {done.length + failed.length === batch.documents.length && (
              <>
                <Button variant="default" disabled={again.isPending} loading={change.isPending} onClick={() => change.mutate()}>
                  Change them
                </Button>
                <Button
                  variant="subtle"
                  color="red"
                  disabled={again.isPending || change.isPending}
                  onClick={() => discardFailed(batch.id, titleOf(batch.files.map((f) => f.name)), done.length)}
                >
                  Discard them
                </Button>
              </>
            )}
          </div>
        </>
      )}
      <ul className="tri-documents">
        {batch.documents.map((d) => (
          <li key={d.messageId}>
            {d.isFiled ? <IconCheck size={16} stroke={2} className="tri-check" aria-label="Filed" /> : <span className="tri-check" />}
            {d.isFiled ? (
              <AppLink className="cp-link" href={paths.intakeMessage(d.messageId)}>
                {d.name}
              </AppLink>
            ) : (
              <span className="cp-second">{d.name}</span>
            )}
          </li>
        ))}
      </ul>
      <Button leftSection={<IconInbox size={16} stroke={1.6} />} onClick={() => go(paths.intake())}>
        Go to Intake
      </Button>
      {question}
    </div>
  );
}
