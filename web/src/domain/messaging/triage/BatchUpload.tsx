import './upload.css';
import { ActionIcon, Button, FileButton, Progress } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { IconAlertTriangle, IconArrowsSplit2, IconCircleCheck, IconFileUpload, IconUpload } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { refresh } from '@/api/query';
import { UploadCancelled } from '@/api/upload';
import { useProfile } from '@/app/session';
import { askForUpgrade, isPlanRestricted } from '@/app/upgrade';
import { plural } from '@/shared/format';
import { reportError } from '@/shared/errors';
import { paths } from '@/shared/paths';
import { AppLink, useGo } from '@/shared/ui/AppLink';
import { Dialog } from '@/shared/ui/Dialog';
import { useViewport } from '@/shared/useViewport';
import { addFile, batchesQuery, createBatch, discardBatch, problemOf, type Upload } from './upload';

const hasFiles = (e: DragEvent) => [...(e.dataTransfer?.types ?? [])].includes('Files');

/** Whether files are dragged over the window; receives the dropped files. */
function useWindowDrop(isActive: boolean, onFiles: (files: File[]) => void) {
  const [isOver, setOver] = useState(false);
  const take = useRef(onFiles);
  useEffect(() => {
    take.current = onFiles;
  });
  useEffect(() => {
    if (!isActive) return;
    // Leaving one element and entering the next come in turn; only the last leave is that of the window.
    let depth = 0;
    const change = (by: number) => {
      depth = Math.max(0, depth + by);
      setOver(depth > 0);
    };
    const enter = (e: DragEvent) => hasFiles(e) && change(1);
    const leave = (e: DragEvent) => hasFiles(e) && change(-1);
    const over = (e: DragEvent) => hasFiles(e) && e.preventDefault();
    const drop = (e: DragEvent) => {
      if (!hasFiles(e)) return;
      e.preventDefault();
      change(-depth);
      const files = [...(e.dataTransfer?.files ?? [])];
      if (files.length > 0) take.current(files);
    };
    window.addEventListener('dragenter', enter);
    window.addEventListener('dragleave', leave);
    window.addEventListener('dragover', over);
    window.addEventListener('drop', drop);
    return () => {
      window.removeEventListener('dragenter', enter);
      window.removeEventListener('dragleave', leave);
      window.removeEventListener('dragover', over);
      window.removeEventListener('drop', drop);
      setOver(false);
    };
  }, [isActive]);
  return isOver;
}

type Props = {
  /** Adds to this batch instead of creating one. */
  batch?: string;
  label?: string;
  /** Runs before files are added; `false` prevents it. */
  before?: () => Promise<boolean>;
  onAdded?: () => void;
};

/** A button and, over the whole window, a place to drop files, whose pages are then sorted into documents. */
export function BatchUpload({ batch, label = 'Upload', before, onAdded }: Props) {
  const profile = useProfile();
  const { isPhone } = useViewport();
  const [files, setFiles] = useState<File[] | null>(null);
  const isRestricted = isPlanRestricted(profile, 'triage');
  const start = async (chosen: File[]) => {
    if (!before || (await before())) setFiles(chosen);
  };
  const take = (chosen: File[]) => {
    if (isRestricted) askForUpgrade();
    else if (chosen.length > 0) void start(chosen);
  };
  const isOver = useWindowDrop(files === null, take);
  const button = (open: () => void) =>
    isPhone ? (
      <ActionIcon size={44} aria-label={label} onClick={open}>
        <IconUpload size={21} stroke={1.6} />
      </ActionIcon>
    ) : (
      <Button variant="default" leftSection={<IconUpload size={16} stroke={1.6} />} onClick={open}>
        {label}
      </Button>
    );
  return (
    <>
      {isRestricted ? (
        button(askForUpgrade)
      ) : (
        <FileButton multiple onChange={take}>
          {({ onClick }) => button(onClick)}
        </FileButton>
      )}
      {isOver && (
        <div className="up-over" role="status">
          <div className="up-over-box">
            <IconFileUpload size={40} stroke={1.4} aria-hidden />
            <b>Drop files to upload them</b>
            <span>Their pages can be split, sorted and named before they are filed.</span>
          </div>
        </div>
      )}
      {files && <UploadDialog files={files} batch={batch} onClose={() => setFiles(null)} onAdded={onAdded} />}
    </>
  );
}

type DialogProps = { files: File[]; batch?: string; onClose: () => void; onAdded?: () => void };

/** Uploads files one by one. A refused one is named, and the others continue. */
function UploadDialog({ files, batch, onClose, onAdded }: DialogProps) {
  const go = useGo();
  const client = useQueryClient();
  const [uploads, setUploads] = useState<Upload[]>(() => files.map((file) => ({ file, share: 0 })));
  const [id, setId] = useState<string | null>(batch ?? null);
  const isOver = uploads.every((u) => u.isDone || u.problem);
  const added = uploads.filter((u) => u.isDone).length;
  const open = (target: string) => {
    void refresh(client, '/api/triage', '/api/messages/{id}/original');
    onClose();
    if (batch) onAdded?.();
    else go(paths.triageBatch(target));
  };
  const start = useRef(async (signal: AbortSignal) => {
    const set = (i: number, part: Partial<Upload>) => setUploads((old) => old.map((u, k) => (k === i ? { ...u, ...part } : u)));
    let target = batch ?? null;
    let done = 0;
    try {
      target ??= (await createBatch()).id;
      setId(target);
      for (const [i, file] of files.entries()) {
        try {
          await addFile(target, file, (share) => set(i, { share }), signal);
          set(i, { share: 1, isDone: true });
          done++;
        } catch (error) {
          if (error instanceof UploadCancelled) throw error;
          set(i, { problem: problemOf(error) });
        }
      }
      if (done === files.length) open(target);
    } catch (error) {
      if (!(error instanceof UploadCancelled)) {
        reportError(error);
        onClose();
      }
    } finally {
      // A batch without files is useless.
      if (!batch && target && done === 0) void discardBatch(target).catch(() => undefined);
    }
  });
  useEffect(() => {
    const abort = new AbortController();
    // In a timer, so that an effect run twice uploads once.
    const timer = setTimeout(() => void start.current(abort.signal));
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, []);
  return (
    <Dialog
      opened
      onClose={onClose}
      staysOnOutsideClick
      title={isOver ? 'Uploaded' : `Uploading ${plural(files.length, 'file')}`}
      size={520}
      footer={
        <>
          <div className="cp-grow" />
          <Button size="md" variant="default" onClick={() => (isOver && batch && added > 0 ? open(batch) : onClose())}>
            {isOver ? 'Close' : 'Cancel'}
          </Button>
          {isOver && added > 0 && id && !batch && (
            <Button size="md" data-autofocus onClick={() => open(id)}>
              Continue with {plural(added, 'file')}
            </Button>
          )}
        </>
      }
    >
      <ul className="up-files">
        {uploads.map((u, i) => (
          <li key={`${i} ${u.file.name}`}>
            <div className="cp-row">
              <span className="cp-grow cp-ell">{u.file.name}</span>
              {u.isDone && <IconCircleCheck size={16} stroke={1.8} className="up-done" aria-label="Uploaded" />}
              {u.problem && <IconAlertTriangle size={16} stroke={1.8} className="up-failed" aria-hidden />}
            </div>
            {u.problem ? (
              <p className="up-failed" role="alert">
                {u.problem}
              </p>
            ) : (
              <Progress value={u.share * 100} size="xs" aria-label={`${u.file.name}: uploaded`} />
            )}
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

/** The number of waiting batches, with a link. */
export function OpenBatches() {
  const profile = useProfile();
  const { data } = useQuery({ ...batchesQuery, enabled: !isPlanRestricted(profile, 'triage') });
  const count = data?.length ?? 0;
  if (count === 0) return null;
  return (
    <AppLink className="cp-link up-open" href={paths.triage}>
      <IconArrowsSplit2 size={16} stroke={1.6} aria-hidden />
      {plural(count, 'batch', 'batches')} to sort
    </AppLink>
  );
}

/** Uploads and batches on the Intake. */
export function IntakeUploads() {
  const { isPhone } = useViewport();
  return (
    <>
      {!isPhone && <OpenBatches />}
      <BatchUpload />
    </>
  );
}
