import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { Task } from '@/api/types';
import { useHubEvents } from '@/shared/hubs';
import { plural } from '@/shared/format';
import { notify } from '@/shared/notify';
import { tasksQuery, useRefreshTasks } from './api';
import { openTasks } from './opened';
import { saveTask, takeBegun } from './saving';

const show = { label: 'Show', run: openTasks };

async function finish(task: Task, folder: FileSystemDirectoryHandle | null) {
  if (task.state === 'Failed') return notify('error', task.message, { action: show });
  if (task.state !== 'Ready') return;
  // A print has a page of its own, which waits for it.
  const isSaved = task.type === 'print' || (await saveTask(task, folder));
  if (task.problemCount > 0) notify('warning', task.message, { action: show });
  else if (task.unfiledCount > 0)
    notify('warning', `${task.content} is done. ${plural(task.unfiledCount, 'message')} could not be filed.`, { action: show });
  else if (isSaved && task.type === 'file') notify('success', `${task.content} is done.`);
}

/** The exports and prints of this person. Tasks started by this page are saved and announced when they are done. */
export function useTaskWatch(isAllowed: boolean) {
  const tasks = useQuery({ ...tasksQuery, enabled: isAllowed });
  const refresh = useRefreshTasks();
  useHubEvents((frame) => {
    if (frame.type === 'tasks' || frame.type === 'again') void refresh();
  });
  useEffect(() => {
    for (const task of tasks.data ?? []) {
      if (task.worker.inProgress) continue;
      const folder = takeBegun(task.id);
      if (folder !== undefined) void finish(task, folder);
    }
  }, [tasks.data]);
  return tasks;
}
