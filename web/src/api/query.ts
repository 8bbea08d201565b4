import type { QueryClient, UseQueryOptions } from '@tanstack/react-query';
import createQueryClient from 'openapi-react-query';
import { api } from './client';

/** Queries and mutations by operation. Their keys are `[method, path, options]`. */
export const $api = createQueryClient(api);

/** The result of `$api.queryOptions` for an operation that returns `T`. Every failure throws `ApiError`, whatever type is described. */
// oxlint-disable-next-line typescript/no-explicit-any -- each operation has a key and an error type of its own.
export type QueryOf<T> = Pick<UseQueryOptions<T, any, T, any>, 'queryKey' | 'queryFn'>;

/** Refetches everything read from these paths and those below them. */
export async function refresh(client: QueryClient, ...paths: readonly string[]) {
  const isBelow = (path: unknown) => typeof path === 'string' && paths.some((p) => path === p || path.startsWith(`${p}/`));
  await client.invalidateQueries({ predicate: ({ queryKey }) => isBelow(queryKey[1]) });
}

/** A query whose answer has another shape than the operation's. */
export const reshaped = <T, U>({ queryKey, queryFn }: QueryOf<T>, shape: (answer: T) => U): QueryOf<U> => ({
  queryKey: [...(queryKey as readonly unknown[]), 'reshaped'],
  queryFn: async (context: unknown) => shape(await (queryFn as (context: unknown) => Promise<T>)(context)),
});
