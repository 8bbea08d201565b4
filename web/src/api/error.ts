import type { ProblemDetails } from './types';

const REVOKED = 'Token revoked or expired.';
const ADDRESS_REFUSED = 'Address not allowed.';
/** Text shown instead of a restricted document that the person may not open; also the reason. */
export const RESTRICTED = 'This document is restricted. Please ask an administrator for permission to open it.';
const TERMS_REQUIRED = 'TermsRequired';
const OUTDATED = 'Changed in the meantime.';

/** Every failed call throws this, so that queries, forms and the session see one shape. */
export class ApiError extends Error {
  readonly status: number;
  readonly problem: ProblemDetails;
  constructor(status: number, problem: ProblemDetails) {
    super(problem.message || problem.title || `The server answered ${status}.`);
    this.status = status;
    this.problem = problem;
  }
  /** The session is over: sign out without a message. */
  get isRevoked() {
    return (this.status === 401 || this.status === 403) && this.problem.reason === REVOKED;
  }
  /** The organization does not allow the browser's IP address. */
  get isAddressRefused() {
    return this.status === 403 && this.problem.reason === ADDRESS_REFUSED;
  }
  /** The document is restricted, and this person may not open it; the rest of the page still works. */
  get isRestricted() {
    return this.status === 403 && this.problem.reason === RESTRICTED;
  }
  /** Terms of service were activated that this person has not accepted: nothing else is answered until then. */
  get isTermsRequired() {
    return this.status === 403 && this.problem.reason === TERMS_REQUIRED;
  }
  /** Whether somebody else saved since the version was read. */
  get isOutdated() {
    return this.status === 409 && this.problem.reason === OUTDATED;
  }
  get isRefused() {
    return (this.status === 401 || this.status === 403) && !this.isRevoked && !this.isRestricted;
  }
  /** Messages per field; '' holds those of the whole form. */
  get modelState(): Record<string, string[]> {
    return this.problem.modelState ?? {};
  }
  /** All field messages and the message for the user, for lists of errors. */
  get messages(): string[] {
    return [...new Set([...Object.values(this.modelState).flat(), ...(this.problem.message ? [this.problem.message] : [])])];
  }
}

export async function problemOf(response: Response): Promise<ProblemDetails> {
  if (/json/.test(response.headers.get('content-type') ?? '')) {
    return (await response.json().catch(() => ({ title: response.statusText }))) as ProblemDetails;
  }
  return { title: response.statusText || 'The server could not be reached. Please try again.' };
}
