import { ApiError } from '@/api/client';
import { NotRenewed, NotSignedIn } from '@/api/token';
import { notify } from './notify';

let onSignedOut = () => {};
/** The session tells here what to do when a call finds no session. */
export const handleSignedOut = (handler: () => void) => {
  onSignedOut = handler;
};

/** The server refused and says why: not that it failed. */
export const isRefusal = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.status < 500 && error.messages.length > 0;

/** A failed act with a text of its own, or the reason of a refusal where that comes first. */
export function reportFailure(error: unknown, text: string, { serverFirst = false } = {}) {
  if (error instanceof NotSignedIn || (error instanceof ApiError && (error.isRefused || error.isRevoked))) return reportError(error);
  notify('error', serverFirst && isRefusal(error) ? error.messages[0]! : text);
}

/** What a failure says to people. What the browser or the renewal says is not for them. */
export function wordsOf(error: unknown, fallback = 'Something went wrong. Please try again.') {
  if (error instanceof ApiError) return error.messages[0] ?? error.message;
  return error instanceof TypeError || error instanceof NotRenewed || !(error instanceof Error) ? fallback : error.message;
}

/** The end of every failed act that has no field to stand under: one toast, or the sign-in page. */
export function reportError(error: unknown, fallback?: string) {
  if (error instanceof NotSignedIn) onSignedOut();
  // A refusal has had its toast, a revoked session goes silently.
  else if (error instanceof ApiError && (error.isRefused || error.isRevoked)) return;
  else notify('error', wordsOf(error, fallback));
}
