import type { QueryClient, UseQueryOptions } from '@tanstack/react-query';
import createQueryClient from 'openapi-react-query';
import { api } from './client';

/** Queries and mutations by operation. Their keys are `[method, path, options]`. */
export const $api = createQueryClient(api);

/** What `$api.queryOptions` gives for an operation that answers `T`. Whatever fails throws `ApiError`, whichever type is described. */
// oxlint-disable-next-line typescript/no-explicit-any -- each operation has a key and an error type of its own.
export type QueryOf<T> = Pick<UseQueryOptions<T, any, T, any>, 'queryKey' | 'queryFn'>;

/** Reads anew what was read from these paths and from those below them. */
export async function refresh(client: QueryClient, ...paths: readonly string[]) {
  const isBelow = (path: unknown) => typeof path === 'string' && paths.some((p) => path === p || path.startsWith(`${p}/`));
  await client.invalidateQueries({ predicate: ({ queryKey }) => isBelow(queryKey[1]) });
}
