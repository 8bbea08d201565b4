import createClient, { createQuerySerializer, type Middleware } from 'openapi-fetch';
import { watched } from './connection';
import { ApiError, problemOf } from './error';
import { counted } from './pending';
import { freshToken } from './token';
import type { paths } from './types';

export { ApiError };

const LOGIN_PATH = '/api/account/login';
const PUBLIC = [
  LOGIN_PATH,
  '/api/account/login/code',
  '/api/account/login/email',
  '/api/account/login/passkey',
  '/api/account/login/passkey/options',
  '/api/account/logout',
  '/api/account/password/forgot',
  '/api/account/password/link',
  '/api/account/password/set',
  '/api/account/register',
  '/api/account/register/confirm',
  '/api/account/register/link',
  '/api/account/register/options',
  '/api/account/register/subdomain',
  '/api/account/renew',
  '/api/account/sso',
  '/api/account/sso/callback',
  '/api/branding',
  '/api/demo/emails',
  '/api/demo/emails/{id}',
  '/api/setup/link',
  '/api/setup/operator',
];

type RefusalHandler = (error: ApiError, path: string) => void;
let onRefused: RefusalHandler = () => {};
/** Set by the session: what a 401 or 403 means; see app/session. */
export const handleRefusals = (handler: RefusalHandler) => {
  onRefused = handler;
};

/** The session's headers of a call. If the renewal is refused, so is the call. */
export async function authorization() {
  try {
    return `Bearer ${await freshToken()}`;
  } catch (error) {
    if (error instanceof ApiError) onRefused(error, '/api/account/renew');
    throw error;
  }
}

const session: Middleware = {
  async onRequest({ request, schemaPath }) {
    if (!PUBLIC.includes(schemaPath) && !request.headers.has('Authorization')) {
      request.headers.set('Authorization', await authorization());
    }
    return request;
  },
  async onResponse({ response, schemaPath }) {
    if (response.ok) return;
    const error = new ApiError(response.status, await problemOf(response));
    // The forms outside the session show a refusal themselves.
    if (!PUBLIC.includes(schemaPath) && (error.status === 401 || error.status === 403)) onRefused(error, schemaPath);
    throw error;
  },
};

const serialize = createQuerySerializer();
/** Empty and blank values are not sent; false and 0 are. */
const querySerializer = (query: Record<string, unknown>) =>
  serialize(
    Object.fromEntries(
      Object.entries(query).filter(([, v]) => !(typeof v === 'string' && v.trim() === '') && !(Array.isArray(v) && v.length === 0)),
    ),
  );

const plainFetch = (request: Request) => watched(() => globalThis.fetch(request));

export const api = createClient<paths>({
  baseUrl: typeof location === 'undefined' ? 'http://localhost' : location.origin,
  credentials: 'same-origin',
  querySerializer,
  fetch: (request) => counted(() => plainFetch(request)),
});
api.use(session);

/** Spread into a call's options to leave the loading indicator alone: `api.GET(path, { ...quiet, params })`. */
export const quiet = { fetch: plainFetch };

/** The data of a call; failures were thrown already. */
export async function unwrap<T>(call: Promise<{ data?: T }>): Promise<T> {
  return (await call).data as T;
}

/** A call outside the described JSON operations (files, uploads). Throws ApiError like all others. */
export async function rawFetch(path: string, init: RequestInit & { quiet?: boolean } = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set('Authorization', await authorization());
  const run = () => watched(() => globalThis.fetch(path, { ...init, headers, credentials: 'same-origin' }));
  const response = await (init.quiet ? run() : counted(run));
  if (response.ok) return response;
  const error = new ApiError(response.status, await problemOf(response));
  if (error.status === 401 || error.status === 403) onRefused(error, path);
  throw error;
}
