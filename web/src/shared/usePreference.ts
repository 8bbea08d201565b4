import { useState } from 'react';
import { localStore, readJson } from './storage';

let person = 'anyone';
/** Preferences are kept per person; the session names the person after sign-in. */
export const setPreferenceOwner = (userId: string) => {
  person = userId;
};

/** A value remembered in this browser for the signed-in person. */
export function usePreference<T>(name: string, initial: T): [T, (value: T) => void] {
  const key = `preferences.${person}.${name}`;
  const [value, setValue] = useState<T>(() => readJson<T>(localStore, key) ?? initial);
  const set = (next: T) => {
    localStore.set(key, JSON.stringify(next));
    setValue(next);
  };
  return [value, set];
}
