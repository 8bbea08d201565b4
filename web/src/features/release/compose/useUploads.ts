import { useCallback, useEffect, useRef, useState } from 'react';
import { ApiError } from '@/api/client';
import type { Attachment, AttachmentMeta } from '@/api/types';
import { UploadCancelled } from '@/api/upload';
import { uploadFile } from '@/domain/messaging/upload';
import { TIMED_OUT } from '@/domain/messaging/viewer/api';
import { fileError, fileErrors, uploadFailure } from './rules';

export type Upload = { key: string; file: File; meta: AttachmentMeta; messageId: string; share: number; error: string | null };

type Options = { onDone: (attachment: Attachment) => void; extensions: string[]; attachedBytes: number };

let counter = 0;

export type Uploads = ReturnType<typeof useUploads>;

/** Uploads of one release: running, or failed with a reason; removed once attached. */
export function useUploads({ onDone, extensions, attachedBytes }: Options) {
  const [uploads, setUploads] = useState<Upload[]>([]);
  const aborts = useRef(new Map<string, AbortController>());
  const running = useRef(new Set<Promise<void>>());
  const done = useRef(onDone);
  useEffect(() => {
    done.current = onDone;
  });
  useEffect(() => {
    const all = aborts.current;
    return () => {
      for (const a of all.values()) a.abort();
    };
  }, []);

  const change = (key: string, part: Partial<Upload>) => setUploads((all) => all.map((u) => (u.key === key ? { ...u, ...part } : u)));
  const drop = (key: string) => setUploads((all) => all.filter((u) => u.key !== key));

  const run = useCallback(async ({ key, file, meta, messageId }: Upload) => {
    const abort = new AbortController();
    aborts.current.set(key, abort);
    try {
      const attachment = await uploadFile({
        messageId,
        file,
        meta,
        signal: abort.signal,
        onProgress: (share) => change(key, { share }),
      });
      drop(key);
      done.current(attachment);
    } catch (error) {
      if (error instanceof UploadCancelled) return;
      change(key, { error: failureOf(file.name, error) });
    } finally {
      aborts.current.delete(key);
    }
  }, []);

  const begin = (upload: Upload) => {
    const end = run(upload).finally(() => running.current.delete(end));
    running.current.add(end);
  };
  /** Resolves once no upload is running and all results are on the page. */
  const settled = async () => {
    if (running.current.size === 0) return;
    while (running.current.size > 0) await Promise.all(running.current);
    await new Promise((resolve) => setTimeout(resolve));
  };

  const bytes = attachedBytes + uploads.filter((u) => !u.error).reduce((sum, u) => sum + u.file.size, 0);

  const start = (messageId: string, files: { file: File; meta: AttachmentMeta }[]) => {
    const errors = fileErrors(
      files.map((f) => f.file),
      extensions,
      bytes,
    );
    const added = files.map(
      ({ file, meta }, i): Upload => ({ key: `upload-${++counter}`, file, meta, messageId, share: 0, error: errors[i] ?? null }),
    );
    setUploads((all) => [...all, ...added]);
    for (const u of added) if (!u.error) begin(u);
  };
  const retry = (upload: Upload) => {
    const error = fileError(upload.file, extensions, bytes);
    change(upload.key, { error, share: 0 });
    if (!error) begin({ ...upload, error: null });
  };
  const cancel = (key: string) => {
    aborts.current.get(key)?.abort();
    drop(key);
  };
  return { uploads, start, retry, cancel, settled, isBusy: uploads.some((u) => !u.error) };
}

/** The server's message about the file is shown unchanged; other errors name the file. */
function failureOf(fileName: string, error: unknown): string {
  if (error instanceof ApiError) {
    const known = (error.modelState.file ?? []).find((t) => !t.includes('FileType is not supported'));
    return known ?? uploadFailure(fileName, error.messages);
  }
  return error instanceof Error && error.message === TIMED_OUT ? TIMED_OUT : uploadFailure(fileName, []);
}
