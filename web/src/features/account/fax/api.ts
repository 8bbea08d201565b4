import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, rawFetch, unwrap } from '@/api/client';
import { queryOf } from '@/api/query';
import type { FaxSettings, FaxSourceInput } from '@/api/types';
import { queryClient } from '@/app/session';
import { followed } from '@/domain/fax/api';
import { endOfDay, startOfDay } from '@/shared/rules/dates';
import { madeName, saveFile } from '@/shared/saveFile';
import type { LogSearch } from './search';

const at = (id: string) => ({ params: { path: { id } } });

/** The search parameters that filter the log. */
const narrowed = (search: LogSearch) => ({
  direction: search.direction,
  outcome: search.outcome,
  number: search.search,
  start: search.from && startOfDay(search.from),
  end: search.until && endOfDay(search.until),
});

export const logQuery = (search: LogSearch, pageNumber: number, pageSize: number) =>
  queryOptions({
    ...queryOf('post', '/api/fax/log', { body: { ...narrowed(search), pageNumber, pageSize } }),
    placeholderData: keepPreviousData,
    meta: { page: true },
  });

export async function saveLog(search: LogSearch) {
  const headers = { Accept: 'text/csv', 'Content-Type': 'application/json' };
  const response = await rawFetch('/api/fax/log/csv', { method: 'POST', headers, body: JSON.stringify(narrowed(search)) });
  saveFile(await response.blob(), madeName('fax-log', 'csv'));
}

export const numbersQuery = (search: string | undefined, sortDir: 'asc' | 'desc', pageNumber: number, pageSize: number) =>
  queryOptions({
    ...queryOf('get', '/api/admin/documentsources', { params: { query: { type: 'fax', search, sortDir, pageNumber, pageSize } } }),
    placeholderData: keepPreviousData,
    meta: { page: true },
  });

export const settingsQuery = queryOf('get', '/api/fax/settings');

export const addNumber = (body: FaxSourceInput) => followed(unwrap(api.POST('/api/admin/documentsources', { body })));
export const saveNumber = (id: string, body: FaxSourceInput) =>
  followed(unwrap(api.PUT('/api/admin/documentsources/{id}', { ...at(id), body })));
export const readNumber = (id: string) => unwrap(api.GET('/api/admin/documentsources/{id}', at(id)));
export const removeNumber = (id: string) => followed(unwrap(api.DELETE('/api/admin/documentsources/{id}', at(id))));
export const activateNumber = (id: string) => followed(unwrap(api.POST('/api/admin/documentsources/activate/{id}', at(id))));

export async function saveSettings(body: FaxSettings) {
  const saved = await unwrap(api.PUT('/api/fax/settings', { body }));
  queryClient.setQueryData(settingsQuery.queryKey, saved);
  return saved;
}
