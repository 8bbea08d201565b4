import { queryOptions } from '@tanstack/react-query';
import { quiet } from '@/api/client';
import { queryOf } from '@/api/query';

/** Polls often, since people wait for codes and links. */
const LOOK_AGAIN_MS = 5_000;

export const emailsQuery = queryOptions({
  ...queryOf('get', '/api/demo/emails', quiet),
  refetchInterval: ({ state }) => (state.error ? false : LOOK_AGAIN_MS),
});

export const emailQuery = (id: string) =>
  queryOptions({
    ...queryOf('get', '/api/demo/emails/{id}', { params: { path: { id } }, ...quiet }),
    staleTime: Number.POSITIVE_INFINITY,
  });
