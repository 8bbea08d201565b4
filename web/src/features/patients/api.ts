import { keepPreviousData, queryOptions, type QueryClient } from '@tanstack/react-query';
import { api, quiet, unwrap } from '@/api/client';
import { itemsOf, queryOf, refresh } from '@/api/query';
import type { Patient } from '@/api/types';

const at = (id: string) => ({ path: { id } });

/** Refetches everything about patients. */
export const refreshPatients = (client: QueryClient) =>
  refresh(client, '/api/patients/{id}', '/api/patients/duplicates', '/api/patients/_search');

export const patientQuery = (id: string) =>
  queryOptions({
    ...queryOf('get', '/api/patients/{id}', { params: at(id), ...quiet }),
    meta: { page: true },
  });

export const historyQuery = (id: string) => itemsOf(queryOf('get', '/api/patients/{id}/history', { params: at(id), ...quiet }));

export const messagesQuery = (id: string, pageStart: number, pageSize: number) =>
  queryOptions({
    ...queryOf('get', '/api/patients/{id}/messages', { params: { ...at(id), query: { pageStart, pageSize } }, ...quiet }),
    placeholderData: keepPreviousData,
  });

/** Pairs of patients on one page of the work list. */
export const PAIRS = 10;

export const duplicatesQuery = (pageStart: number) =>
  queryOptions({
    ...queryOf('get', '/api/patients/duplicates', { params: { query: { pageStart, pageSize: PAIRS } }, ...quiet }),
    placeholderData: keepPreviousData,
  });

/** Merges another patient into this one. Answers the decision, which can be undone. */
export const merge = async (id: string, otherId: string) =>
  (await unwrap(api.POST('/api/patients/{id}/merge', { params: { path: { id } }, body: { otherId }, ...quiet }))).eventId;

/** Marks another patient as a different person. */
export const tellApart = async (id: string, otherId: string) =>
  (await unwrap(api.POST('/api/patients/{id}/distinct', { params: { path: { id } }, body: { otherId }, ...quiet }))).eventId;

export const undoEvent = (eventId: string) =>
  unwrap(api.POST('/api/patients/events/{eventId}/undo', { params: { path: { eventId } }, ...quiet }));

export const correct = async (id: string, version: number, patient: Patient) =>
  (await unwrap(api.POST('/api/patients/{id}/corrections', { params: { path: { id } }, body: { ...patient, version }, ...quiet }))).eventId;
