import { useSyncExternalStore } from 'react';

/** Whether the list of exports and prints is open. Notices and the frame open it. */
let opened = false;
const listeners = new Set<() => void>();
const set = (value: boolean) => {
  opened = value;
  for (const listener of listeners) listener();
};
const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const openTasks = () => set(true);
export const closeTasks = () => set(false);
export const useTasksOpened = () => useSyncExternalStore(subscribe, () => opened);
