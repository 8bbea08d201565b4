import { useSyncExternalStore } from 'react';
import type { Task } from '@/api/types';
import { reportFailure } from '@/shared/errors';
import { notify } from '@/shared/notify';
import { canSaveFiles, saveFile } from '@/shared/saveFile';
import { readJson, sessionStore } from '@/shared/storage';
import { fetchContent, fetchFile, filesOf } from './api';

/** Saving the files of an export: into a local folder if the browser can, else as one download. */

declare global {
  interface Window {
    /** File System Access API; not in every browser. */
    showDirectoryPicker?: (options?: { mode?: 'read' | 'readwrite'; id?: string }) => Promise<FileSystemDirectoryHandle>;
  }
}

export const CANNOT_SAVE = "Your browser doesn't support exporting. Please try another browser.";
const FAILED = 'An error occured while exporting. Please contact support.';

export const canPickFolder = () => typeof window.showDirectoryPicker === 'function';

/** The folder chosen by the user, or nothing if they cancel. */
export async function pickFolder(): Promise<FileSystemDirectoryHandle | null> {
  try {
    return await window.showDirectoryPicker!({ mode: 'readwrite', id: 'exports' });
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return null;
    throw error;
  }
}

/** The saving state of a finished task on this page. */
export type Saving = { state: 'saving'; done: number; total: number } | { state: 'interrupted' };

const KEPT = 'tasks.saving';
let savings: ReadonlyMap<string, Saving> = new Map(
  // A reload interrupts saving.
  (readJson<string[]>(sessionStore, KEPT) ?? []).map((id) => [id, { state: 'interrupted' }]),
);
const listeners = new Set<() => void>();

function note(id: string, saving: Saving | null) {
  const next = new Map(savings);
  if (saving) next.set(id, saving);
  else next.delete(id);
  savings = next;
  sessionStore.set(KEPT, next.size > 0 ? JSON.stringify([...next.keys()]) : null);
  for (const listener of listeners) listener();
}

export const useSavings = () =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => savings,
  );

/** Saves the files of a task; answers whether all were saved. */
export async function saveTask(task: Task, folder?: FileSystemDirectoryHandle | null): Promise<boolean> {
  if (!folder && !canSaveFiles()) {
    notify('error', CANNOT_SAVE);
    return false;
  }
  note(task.id, { state: 'saving', done: 0, total: folder ? task.fileCount : 1 });
  try {
    await (folder ? saveInto(folder, task) : download(task));
    return true;
  } catch (error) {
    reportFailure(error, FAILED, { serverFirst: true });
    return false;
  } finally {
    note(task.id, null);
  }
}

/** The name of a download: RFC 8187. */
export const nameOf = (response: Pick<Response, 'headers'>, fallback: string) => {
  const found = /filename\*=UTF-8''([^;]+)/.exec(response.headers.get('content-disposition') ?? '')?.[1];
  return found ? decodeURIComponent(found) : fallback;
};

async function download(task: Task) {
  const response = await fetchContent(task.id);
  saveFile(await response.blob(), nameOf(response, `${task.fileName}.zip`));
}

/** One file after the other, each written as it arrives. */
async function saveInto(root: FileSystemDirectoryHandle, task: Task) {
  const { items } = await filesOf(task.id);
  for (const [at, { path, position }] of items.entries()) {
    const folders = path.split('/');
    const name = folders.pop()!;
    let folder = root;
    for (const part of folders) folder = await folder.getDirectoryHandle(part, { create: true });
    const file = await folder.getFileHandle(name, { create: true });
    const response = await fetchFile(task.id, position);
    await response.body!.pipeTo(await file.createWritable());
    note(task.id, { state: 'saving', done: at + 1, total: items.length });
  }
}

/** Tasks started by this page: their files are saved automatically to the chosen place. */
const begun = new Map<string, FileSystemDirectoryHandle | null>();
export const noteBegun = (id: string, folder: FileSystemDirectoryHandle | null) => void begun.set(id, folder);
/** The target of a task started by this page; it can be taken once. */
export const takeBegun = (id: string) => {
  const folder = begun.get(id);
  begun.delete(id);
  return folder;
};
