import type { DataTag, QueryClient, UseQueryOptions } from '@tanstack/react-query';
import type { FetchResponse, MaybeOptionalInit } from 'openapi-fetch';
import { api } from './client';
import type { paths } from './types';

/** The paths of the operations, as the description of the API has them. */
export type ApiPath = keyof paths;
/** Some read operations take their criteria as a body. */
type Method = 'get' | 'post';
type PathOf<M extends Method> = { [P in ApiPath]: paths[P] extends Record<M, object> ? P : never }[ApiPath];
type Init<M extends Method, P extends PathOf<M>> = MaybeOptionalInit<paths[P], M>;
type Answer<M extends Method, P extends PathOf<M>> = Required<
  FetchResponse<paths[P][M] & Record<string | number, unknown>, object, 'application/json'>
>['data'];

/** Options of a query, with a key that knows the type of the answer. */
export type Read<T> = { queryKey: DataTag<readonly unknown[], T>; queryFn: (context?: { signal?: AbortSignal }) => Promise<T> };

/** A query that answers `T`, with any options. Every failure throws `ApiError`, whichever type is described. */
// oxlint-disable-next-line typescript/no-explicit-any -- options made by `queryOptions` have a key type of their own.
export type QueryOf<T> = Pick<UseQueryOptions<T, any, T, any>, 'queryKey' | 'queryFn'>;

/**
 * A read of an operation: `queryOf('get', '/api/patients/{id}', { params: { path: { id } } })`. Its key is
 * `[method, path, parameters and body]`, made of what is called, so that the two cannot differ.
 */
export function queryOf<M extends Method, P extends PathOf<M>, I extends Init<M, P>>(
  method: M,
  path: P,
  ...[init]: object extends I ? [I?] : [I]
): Read<Answer<M, P>> {
  const { params, body } = (init ?? {}) as { params?: object; body?: unknown };
  const asked = params || body ? [{ ...(params && { params }), ...(body !== undefined && { body }) }] : [];
  const call = api[method.toUpperCase() as Uppercase<M>] as unknown as (path: P, init: I | undefined) => Promise<{ data?: Answer<M, P> }>;
  return {
    queryKey: [method, path, ...asked] as unknown as Read<Answer<M, P>>['queryKey'],
    // An empty answer is null: without data a query would have failed.
    queryFn: async (context) => (await call(path, { ...init, signal: context?.signal } as unknown as I)).data ?? (null as Answer<M, P>),
  };
}

/**
 * A query whose answer has another shape than the operation's. `given` is anything else that the shape depends on: it
 * distinguishes several shapes of the same answer.
 */
export const reshaped = <T, U>({ queryKey, queryFn }: Read<T>, shape: (answer: T) => U, ...given: unknown[]): Read<U> => ({
  queryKey: [...queryKey, 'reshaped', ...given] as unknown as Read<U>['queryKey'],
  queryFn: async (context) => shape(await queryFn(context)),
});

/** A query of the items alone, where the operation answers a list. */
export const itemsOf = <T>({ queryKey, queryFn }: Read<{ items: T[] }>): Read<T[]> => ({
  queryKey: [...queryKey, 'items'] as unknown as Read<T[]>['queryKey'],
  queryFn: async (context) => (await queryFn(context)).items,
});

/** Filter for the queries of exactly these paths; `at` limits it to those with these path parameters. */
export const readsOf = (paths: readonly ApiPath[], at: Record<string, string> = {}) => ({
  predicate: ({ queryKey: [, path, asked] }: { queryKey: readonly unknown[] }) => {
    const given = (asked as { params?: { path?: Record<string, unknown> } } | undefined)?.params?.path;
    return paths.includes(path as ApiPath) && Object.entries(at).every(([name, value]) => given?.[name] === value);
  },
});

/** Refetches everything read from exactly these paths. */
export const refreshOnly = (client: QueryClient, ...paths: readonly ApiPath[]) => client.invalidateQueries(readsOf(paths));

/** Refetches everything read from these paths and those below them. */
export async function refresh(client: QueryClient, ...paths: readonly ApiPath[]) {
  const isBelow = (path: unknown) => typeof path === 'string' && paths.some((p) => path === p || path.startsWith(`${p}/`));
  await client.invalidateQueries({ predicate: ({ queryKey }) => isBelow(queryKey[1]) });
}
