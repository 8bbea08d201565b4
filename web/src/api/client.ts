import createClient, { createQuerySerializer, type Middleware } from 'openapi-fetch';
import { counted } from './pending';
import { freshToken } from './token';
import type { ProblemDetails, paths } from './types';

const REVOKED = 'Token revoked or expired.';
const ADDRESS_REFUSED = 'Address not allowed.';

/** Every failed call throws this, so that queries, forms and the session see one shape. */
export class ApiError extends Error {
  readonly status: number;
  readonly problem: ProblemDetails;
  constructor(status: number, problem: ProblemDetails) {
    super(problem.message || problem.title || `The server answered ${status}.`);
    this.status = status;
    this.problem = problem;
  }
  /** The session is over: sign off without a word. */
  get isRevoked() {
    return (this.status === 401 || this.status === 403) && this.problem.reason === REVOKED;
  }
  /** The organization does not allow the address that the browser comes from. */
  get isAddressRefused() {
    return this.status === 403 && this.problem.reason === ADDRESS_REFUSED;
  }
  get isRefused() {
    return (this.status === 401 || this.status === 403) && !this.isRevoked;
  }
  /** Texts per field; '' holds those of the whole form. */
  get modelState(): Record<string, string[]> {
    return this.problem.modelState ?? {};
  }
  /** All field texts and the sentence for the user, for lists of errors. */
  get messages(): string[] {
    return [...new Set([...Object.values(this.modelState).flat(), ...(this.problem.message ? [this.problem.message] : [])])];
  }
}

async function problemOf(response: Response): Promise<ProblemDetails> {
  if (/json/.test(response.headers.get('content-type') ?? '')) {
    return (await response.json().catch(() => ({ title: response.statusText }))) as ProblemDetails;
  }
  return { title: response.statusText || 'The server could not be reached. Please try again.' };
}

const LOGIN_PATH = '/api/account/login';
const PUBLIC = [
  LOGIN_PATH,
  '/api/account/login/code',
  '/api/account/login/email',
  '/api/account/login/passkey',
  '/api/account/login/passkey/options',
  '/api/account/password/forgot',
  '/api/account/password/link',
  '/api/account/password/set',
  '/api/account/register',
  '/api/account/register/confirm',
  '/api/account/register/options',
  '/api/account/register/subdomain',
  '/api/account/register/username',
  '/api/account/renew',
  '/api/account/sso',
  '/api/account/sso/callback',
  '/api/branding',
  '/api/demo/emails',
  '/api/demo/emails/{id}',
];

type RefusalHandler = (error: ApiError, path: string) => void;
let onRefused: RefusalHandler = () => {};
/** The session tells here what a 401 or 403 means; see app/session. */
export const handleRefusals = (handler: RefusalHandler) => {
  onRefused = handler;
};

const session: Middleware = {
  async onRequest({ request, schemaPath }) {
    if (!PUBLIC.includes(schemaPath)) request.headers.set('Authorization', `Bearer ${await freshToken()}`);
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

const plainFetch = (request: Request) => globalThis.fetch(request);

export const api = createClient<paths>({
  baseUrl: typeof location === 'undefined' ? 'http://localhost' : location.origin,
  credentials: 'same-origin',
  querySerializer,
  fetch: (request) => counted(() => plainFetch(request)),
});
api.use(session);

/** Spread into a call's options to leave the loading indicator alone: `api.GET(path, { ...quiet, params })`. */
export const quiet = { fetch: plainFetch };

/** The data of a call; failures have been thrown already. */
export async function unwrap<T>(call: Promise<{ data?: T }>): Promise<T> {
  return (await call).data as T;
}

/** A call outside the described JSON operations (files, uploads). Throws ApiError like all others. */
export async function rawFetch(path: string, init: RequestInit & { quiet?: boolean } = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set('Authorization', `Bearer ${await freshToken()}`);
  const run = () => globalThis.fetch(path, { ...init, headers, credentials: 'same-origin' });
  const response = await (init.quiet ? run() : counted(run));
  if (response.ok) return response;
  const error = new ApiError(response.status, await problemOf(response));
  if (error.status === 401 || error.status === 403) onRefused(error, path);
  throw error;
}
