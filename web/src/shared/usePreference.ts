import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, quiet } from '@/api/client';
import { queryOf } from '@/api/query';
import { ownerId } from './owner';
import { localStore, readJson } from './storage';

/** The signed-in user with their preferences. Loaded with the session. */
export const preferencesQuery = {
  ...queryOf('get', '/api/users/current', { ...quiet }),
  staleTime: Number.POSITIVE_INFINITY,
};

const screensOf = (preferences: unknown) => (preferences as { screens?: Record<string, unknown> } | undefined)?.screens ?? {};

/** A value that the server remembers for the signed-in user. This browser has a copy until the server's is loaded. */
export function usePreference<T>(name: string, initial: T): [T, (value: T) => void] {
  const client = useQueryClient();
  const key = `preferences.${ownerId()}.${name}`;
  const { data } = useQuery(preferencesQuery);
  const [copy, setCopy] = useState<T>(() => readJson<T>(localStore, key) ?? initial);
  const saved = screensOf(data?.userPreferences)[name] as T | undefined;
  const set = (value: T) => {
    localStore.set(key, JSON.stringify(value));
    setCopy(value);
    client.setQueryData(
      preferencesQuery.queryKey,
      (known: typeof data) =>
        known && {
          ...known,
          userPreferences: { ...known.userPreferences, screens: { ...screensOf(known.userPreferences), [name]: value } },
        },
    );
    const body = { value: value as never };
    // The screen works on; a value that was not saved is merely not remembered elsewhere.
    void api.PUT('/api/account/preferences/screens/{name}', { params: { path: { name } }, body, ...quiet }).catch(() => {});
  };
  return [saved ?? copy, set];
}
