import { ApiError } from '@/api/client';
import { NotRenewed, NotSignedIn } from '@/api/token';
import { notify } from './notify';

let onSignedOut = () => {};
/** Set by the session: what to do when a call finds no session. */
export const handleSignedOut = (handler: () => void) => {
  onSignedOut = handler;
};

/** The server refused with a reason, rather than failed. */
export const isRefusal = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.status < 500 && error.messages.length > 0;

/** A failed action with its own message, or the server's reason where that is preferred or a document is restricted. */
export function reportFailure(error: unknown, text: string, { serverFirst = false } = {}) {
  if (error instanceof NotSignedIn || (error instanceof ApiError && (error.isRefused || error.isRevoked))) return reportError(error);
  notify('error', isRefusal(error) && (serverFirst || error.isRestricted) ? error.messages[0]! : text);
}

/** The message of a failure for users; those of the browser or of a token renewal are not meant for them. */
export function wordsOf(error: unknown, fallback = 'Something went wrong. Please try again.') {
  if (error instanceof ApiError) return error.messages[0] ?? error.message;
  return error instanceof TypeError || error instanceof NotRenewed || !(error instanceof Error) ? fallback : error.message;
}

/** Handles every failure that belongs to no field: one toast, or the sign-in page. */
export function reportError(error: unknown, fallback?: string) {
  if (error instanceof NotSignedIn) onSignedOut();
  // A refusal has shown its toast already; a revoked session shows none.
  else if (error instanceof ApiError && (error.isRefused || error.isRevoked)) return;
  else notify('error', wordsOf(error, fallback));
}
