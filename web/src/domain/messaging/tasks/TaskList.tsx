import './tasks.css';
import { ActionIcon, Anchor, Button, Progress, Tooltip, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconFileExport, IconPrinter, IconX } from '@tabler/icons-react';
import { useState } from 'react';
import type { Task } from '@/api/types';
import { hasRole } from '@/app/access';
import { useProfile } from '@/app/session';
import { formatDateTime, formatRecent, formatSize, plural } from '@/shared/format';
import { paths } from '@/shared/paths';
import { EmptyState, ErrorState } from '@/shared/ui/blocks';
import { Dialog } from '@/shared/ui/Dialog';
import { RefusedList } from '../RefusedList';
import { taskFilesQuery, tasksQuery, useTaskActs } from './api';
import { closeTasks, openTasks, useTasksOpened } from './opened';
import { canPickFolder, pickFolder, type Saving, saveTask, useSavings } from './saving';
import { useTaskWatch } from './useTaskWatch';

const INTERRUPTED = 'Saving stopped when this page was reloaded. Please save again.';

/** Opens the list; a dot shows that a task is running or has failed. */
export function TasksButton() {
  const { data } = useQuery({ ...tasksQuery, enabled: false });
  const isBusy = data?.some((task) => task.worker.inProgress);
  const hasFailed = data?.some((task) => task.worker.inError);
  const label = `Background tasks${isBusy ? ', in progress' : hasFailed ? ', something failed' : ''}`;
  return (
    <Tooltip label="Background tasks">
      <ActionIcon aria-label={label} aria-haspopup="dialog" onClick={openTasks}>
        <IconFileExport size={18} stroke={1.6} />
        {(isBusy || hasFailed) && <span className={`tsk-dot ${isBusy ? '' : 't-danger'}`} />}
      </ActionIcon>
    </Tooltip>
  );
}

/** The exports and prints of this person, the same in every tab. Rendered once in the frame. */
export function TaskList() {
  const profile = useProfile();
  const isAllowed = hasRole(profile, 'Administrator,User');
  const tasks = useTaskWatch(isAllowed);
  const opened = useTasksOpened();
  const acts = useTaskActs();
  const savings = useSavings();
  const over = tasks.data?.filter((task) => !task.worker.inProgress) ?? [];
  if (!isAllowed) return null;
  return (
    <Dialog
      opened={opened}
      onClose={closeTasks}
      title="Background tasks"
      size={560}
      footer={
        <>
          <Button size="md" variant="default" disabled={over.length === 0} onClick={() => acts.mutate({ kind: 'clear' })}>
            Clear
          </Button>
          <div className="cp-grow" />
          <Button size="md" data-autofocus onClick={closeTasks}>
            Close
          </Button>
        </>
      }
    >
      {tasks.error && !tasks.data ? (
        <ErrorState title="The exports could not be loaded" error={tasks.error} onRetry={() => void tasks.refetch()} />
      ) : !tasks.data ? (
        <p role="status">Loading…</p>
      ) : tasks.data.length === 0 ? (
        <EmptyState icon={IconFileExport} title="No exports" text="Exports and print jobs appear here for a day." />
      ) : (
        <ul className="tsk-list">
          {tasks.data.map((task) => (
            <TaskRow key={task.id} task={task} saving={savings.get(task.id)} acts={acts} />
          ))}
        </ul>
      )}
    </Dialog>
  );
}

type RowProps = { task: Task; saving?: Saving; acts: ReturnType<typeof useTaskActs> };

function TaskRow({ task, saving, acts }: RowProps) {
  const [showsProblems, setShows] = useState(false);
  const { inProgress, inError } = task.worker;
  const hasProblems = task.problemCount + task.unfiledCount > 0;
  const isSaving = saving?.state === 'saving';
  const isWrong = inError || saving?.state === 'interrupted';
  const words = isSaving
    ? `Saving ${saving.done} of ${plural(saving.total, 'file')}`
    : saving?.state === 'interrupted'
      ? INTERRUPTED
      : task.message;
  const share = inProgress ? task.messagesDone / task.messageCount : isSaving ? saving.done / saving.total : null;
  const IconOf = task.type === 'print' ? IconPrinter : IconFileExport;
  const act = (kind: 'cancel' | 'retry' | 'confirm' | 'discard') => acts.mutate({ kind, id: task.id });
  return (
    <li className="tsk-row">
      <IconOf size={18} stroke={1.6} aria-hidden />
      <div className="cp-grow">
        <div className="cp-row">
          <b className="cp-ell cp-grow">{task.content}</b>
          <time className="cp-muted cp-num" dateTime={task.date} title={formatDateTime(task.date)}>
            {formatRecent(task.date)}
          </time>
        </div>
        <p className={isWrong ? 'tsk-wrong' : 'cp-second'} role="status">
          {words}
          {task.state === 'Ready' && task.sizeInBytes > 0 && !isWrong && !isSaving && ` ${formatSize(task.sizeInBytes)}`}
        </p>
        {share !== null && <Progress size={5} radius={3} value={share * 100} aria-label={`${task.content}: ${words}`} />}
        <div className="tsk-acts">
          {inProgress && (
            <Button size="xs" variant="default" onClick={() => act('cancel')}>
              Cancel
            </Button>
          )}
          {task.state === 'Ready' && task.type === 'print' && (
            <Button size="xs" variant="default" component="a" href={paths.printTask(task.id)} target="_blank" rel="opener">
              Print
            </Button>
          )}
          {task.state === 'Ready' && task.type === 'file' && <SaveButtons task={task} isSaving={isSaving} />}
          {(task.state === 'Failed' || task.state === 'Cancelled') && (
            <Button size="xs" variant="default" onClick={() => act('retry')}>
              Try again
            </Button>
          )}
          {hasProblems && !inProgress && (
            <UnstyledButton className="cp-link" aria-expanded={showsProblems} onClick={() => setShows(!showsProblems)}>
              {[
                task.problemCount > 0 && `${plural(task.problemCount, 'message')} left out`,
                task.unfiledCount > 0 && `${task.unfiledCount} not filed`,
              ]
                .filter(Boolean)
                .join(', ')}
            </UnstyledButton>
          )}
        </div>
        {showsProblems && hasProblems && <Problems task={task} onRetry={act} />}
      </div>
      <ActionIcon size={26} aria-label={`Remove ${task.content}`} onClick={() => act('discard')}>
        <IconX size={16} stroke={1.6} />
      </ActionIcon>
    </li>
  );
}

function SaveButtons({ task, isSaving }: { task: Task; isSaving: boolean }) {
  const intoFolder = async () => {
    const folder = await pickFolder();
    if (folder) await saveTask(task, folder);
  };
  return (
    <>
      <Button size="xs" variant="default" loading={isSaving} onClick={() => void saveTask(task)}>
        Download
      </Button>
      {canPickFolder() && (
        <Button size="xs" variant="default" disabled={isSaving} onClick={() => void intoFolder()}>
          Save to a folder
        </Button>
      )}
    </>
  );
}

/** The messages that are left out, lack a file or were not filed, with reasons. */
function Problems({ task, onRetry }: { task: Task; onRetry: (kind: 'retry' | 'confirm') => void }) {
  const { data, error, refetch } = useQuery(taskFilesQuery(task.id));
  if (error) return <ErrorState title="The messages could not be loaded" error={error} onRetry={() => void refetch()} />;
  return (
    <>
      <RefusedList
        rows={data?.problems.map(({ messageId, subject, reasons }) => ({ id: messageId, subject: subject ?? '', reasons }))}
        hrefOf={paths.intakeMessage}
        onOpen={closeTasks}
      />
      <div className="tsk-acts">
        <Button size="xs" variant="default" onClick={() => onRetry('retry')}>
          Try these again
        </Button>
        <Tooltip label="Even if a patient or document type is missing or a colleague has them open">
          <Anchor component="button" type="button" size="sm" onClick={() => onRetry('confirm')}>
            Try anyway
          </Anchor>
        </Tooltip>
      </div>
    </>
  );
}
