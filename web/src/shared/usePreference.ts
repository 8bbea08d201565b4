import { useState } from 'react';
import { ownerId } from './owner';
import { localStore, readJson } from './storage';

/** A value remembered in this browser for the signed-in user. */
export function usePreference<T>(name: string, initial: T): [T, (value: T) => void] {
  const key = `preferences.${ownerId()}.${name}`;
  const [value, setValue] = useState<T>(() => readJson<T>(localStore, key) ?? initial);
  const set = (next: T) => {
    localStore.set(key, JSON.stringify(next));
    setValue(next);
  };
  return [value, set];
}
