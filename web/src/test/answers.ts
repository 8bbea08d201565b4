import { HttpResponse, http } from 'msw';
import type { ProblemDetails, paths } from '@/api/types';
import { server } from './setup';

/** Responses of the server in tests. Paths and bodies are those of the API description: a response that the server could not give does not compile. */

type Verb = 'get' | 'post' | 'put' | 'delete' | 'patch';
type PathOf<V extends Verb> = { [P in keyof paths]: paths[P] extends Record<V, { responses: unknown }> ? P : never }[keyof paths] & string;
type Operation<V extends Verb, P extends PathOf<V>> = paths[P] extends Record<V, infer O> ? O : never;
type Json<T> = T extends { content: { 'application/json': infer B } } ? B : null;
type Success = 200 | 201 | 202 | 204;
export type AnswerOf<V extends Verb, P extends PathOf<V>> =
  Operation<V, P> extends { responses: infer R } ? Json<R[keyof R & Success]> : never;
type BodyOf<V extends Verb, P extends PathOf<V>> =
  Operation<V, P> extends { requestBody?: { content: { 'application/json': infer B } } } ? B : undefined;

/** A request of a screen. */
export type Asked<B> = { path: Record<string, string>; query: URLSearchParams; body: B };

/** The path as a pattern of MSW, with other special characters escaped, such as the parentheses of OData. */
const pattern = (path: string) => `*${path.replace(/[()]/g, '\\$&').replace(/\{(\w+)\}/g, ':$1')}`;
async function askedOf<B>(request: Request, path: Record<string, string>): Promise<Asked<B>> {
  const text = request.headers.get('content-type')?.includes('json') ? await request.text() : '';
  const { 0: _host, ...named } = path;
  return { path: named, query: new URL(request.url).searchParams, body: (text ? JSON.parse(text) : undefined) as B };
}

/**
 * Answers an operation from now on, with a body or with what a function makes of the request. Returns the list of
 * requests, which grows as the screen asks: `expect(asked.at(-1)?.body).toEqual(…)`.
 */
export function answer<V extends Verb, P extends PathOf<V>>(
  verb: V,
  path: P,
  body: AnswerOf<V, P> | ((asked: Asked<BodyOf<V, P>>) => AnswerOf<V, P> | Promise<AnswerOf<V, P>>),
): Asked<BodyOf<V, P>>[] {
  const all: Asked<BodyOf<V, P>>[] = [];
  server.use(
    http[verb](pattern(path), async ({ request, params }) => {
      const asked = await askedOf<BodyOf<V, P>>(request, params as Record<string, string>);
      all.push(asked);
      const given = typeof body === 'function' ? await body(asked) : body;
      return given === null ? new HttpResponse(null, { status: 204 }) : HttpResponse.json(given as object);
    }),
  );
  return all;
}

/** Refuses an operation from now on, as the server does. Returns the list of requests. */
export function refusal<V extends Verb, P extends PathOf<V>>(
  verb: V,
  path: P,
  status: number,
  problem: ProblemDetails = {},
): Asked<BodyOf<V, P>>[] {
  const all: Asked<BodyOf<V, P>>[] = [];
  server.use(
    http[verb](pattern(path), async ({ request, params }) => {
      all.push(await askedOf(request, params as Record<string, string>));
      return HttpResponse.json(
        { title: 'Refused', status, ...problem },
        { status, headers: { 'content-type': 'application/problem+json' } },
      );
    }),
  );
  return all;
}
