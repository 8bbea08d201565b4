import { renderHook } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import type { Task } from '@/api/types';
import { notify } from '@/shared/notify';
import * as calls from './api';

vi.mock('@/shared/notify', () => ({ notify: vi.fn() }));
vi.mock('./api', () => ({ fetchContent: vi.fn(), fetchFile: vi.fn(), filesOf: vi.fn() }));

const task = { id: 'a', fileCount: 2, fileName: 'carepost_native-export_20261125T222740Z' } as Task;

beforeEach(() => {
  sessionStorage.clear();
  vi.resetModules();
  vi.clearAllMocks();
});

test('what was being saved when the page is loaded again has gone wrong (MSG-R-257)', async () => {
  vi.mocked(calls.fetchContent).mockReturnValue(new Promise(() => undefined));
  const before = await import('./saving');
  Object.assign(URL, { createObjectURL: () => 'blob:x' });
  void before.saveTask(task);
  expect(sessionStorage.getItem('carepost.tasks.saving')).toBe('["a"]');
  vi.resetModules();
  const { useSavings } = await import('./saving');
  const { result } = renderHook(() => useSavings());
  expect(result.current.get('a')).toEqual({ state: 'interrupted' });
});

/** A folder in memory. */
function folder(files: Record<string, string>, at = ''): FileSystemDirectoryHandle {
  return {
    getDirectoryHandle: async (name: string) => folder(files, `${at}${name}/`),
    getFileHandle: async (name: string) => ({
      createWritable: async () => {
        files[at + name] = '';
        return new WritableStream<Uint8Array>({ write: (piece) => void (files[at + name] += new TextDecoder().decode(piece)) });
      },
    }),
  } as unknown as FileSystemDirectoryHandle;
}

test('each file is written where its path says', async () => {
  const items = ['Tenney, Marisol/a.txt', 'Tenney, Marisol/V9/b.txt'].map((path, position) => ({
    path,
    position,
    mimeType: 'text/plain',
    sizeInBytes: 3,
  }));
  vi.mocked(calls.filesOf).mockResolvedValue({ items, problems: [] });
  vi.mocked(calls.fetchFile).mockImplementation(async (_, position) => new Response(`no ${position}`));
  const { saveTask } = await import('./saving');
  const files: Record<string, string> = {};
  expect(await saveTask(task, folder(files))).toBe(true);
  expect(files).toEqual({ 'Tenney, Marisol/a.txt': 'no 0', 'Tenney, Marisol/V9/b.txt': 'no 1' });
  expect(sessionStorage.getItem('carepost.tasks.saving')).toBeNull();
});

test('a failure is told, and a browser that cannot save says so (MSG-T-108, MSG-T-109)', async () => {
  const { saveTask } = await import('./saving');
  Object.assign(URL, { createObjectURL: () => 'blob:x', revokeObjectURL: () => undefined });
  vi.mocked(calls.fetchContent).mockRejectedValue(new TypeError('no network'));
  expect(await saveTask(task)).toBe(false);
  expect(notify).toHaveBeenCalledWith('error', 'An error occured while exporting. Please contact support.');
  Object.assign(URL, { createObjectURL: undefined });
  expect(await saveTask(task)).toBe(false);
  expect(notify).toHaveBeenCalledWith('error', "Your browser doesn't support exporting. Please try another browser.");
});

test('a download is called as the server says', async () => {
  const { nameOf } = await import('./saving');
  const headers = new Headers({ 'content-disposition': "attachment; filename*=UTF-8''Lab%20report.pdf" });
  expect(nameOf({ headers }, 'x.zip')).toBe('Lab report.pdf');
  expect(nameOf({ headers: new Headers() }, 'x.zip')).toBe('x.zip');
});
