import { queryOptions } from '@tanstack/react-query';
import { api, quiet, unwrap } from '@/api/client';

/** Codes and links are wanted as soon as they come. */
const LOOK_AGAIN_MS = 5_000;

export const emailsQuery = queryOptions({
  queryKey: ['demo', 'emails'],
  queryFn: () => unwrap(api.GET('/api/demo/emails', quiet)),
  refetchInterval: (query) => (query.state.error ? false : LOOK_AGAIN_MS),
});

export const emailQuery = (id: string) =>
  queryOptions({
    queryKey: ['demo', 'email', id],
    queryFn: () => unwrap(api.GET('/api/demo/emails/{id}', { params: { path: { id } }, ...quiet })),
    staleTime: Number.POSITIVE_INFINITY,
  });
