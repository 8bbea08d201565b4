import { watched } from './connection';
import { ApiError, problemOf } from './error';

/** The access token lives in memory only; the browser's HttpOnly cookie renews it. */

/** A token this close to its end is renewed before the next call. */
const RENEW_BEFORE_MS = 60_000;

export class NotSignedIn extends Error {
  constructor() {
    super('Not signed in.');
  }
}

/** The server did not answer a renewal properly. It is unknown whether there is a session. */
export class NotRenewed extends Error {
  constructor(why: unknown) {
    super('The session was not renewed.', { cause: why });
  }
}

/** The organization was switched in another window. Calls started before must not run in the other organization. */
export class SessionChanged extends Error {
  constructor() {
    super('This was not done because you switched organizations in another window.');
  }
}

/** How the session of a renewed token compares with the one the screens show. */
type Renewed = 'same' | 'other organization' | 'other person';
let compare: (accessToken: string) => Promise<Renewed> = async () => 'same';
/** Set by the session: the owner of the data on its screens; see app/session. */
export const compareRenewals = (with_: typeof compare) => {
  compare = with_;
};

type Grant = { accessToken: string; expiresIn: number };

let token: { value: string; expiresAt: number } | null = null;
let renewal: Promise<string> | null = null;
/** Raised at every sign-in and sign-off, so that a renewal begun before cannot revive an ended session. */
let epoch = 0;
/** Somebody else signed in in another window: no renewal here before a new sign-in. */
let isForeign = false;

export function setToken(grant: Grant | null, now = Date.now()) {
  epoch++;
  renewal = null;
  if (grant) isForeign = false;
  token = grant && { value: grant.accessToken, expiresAt: now + grant.expiresIn * 1000 };
}

/** Somebody signed in here, or the cookie brought a session back. */
export const hasToken = () => token !== null;

export const isFresh = (now = Date.now()) => token !== null && token.expiresAt - now > RENEW_BEFORE_MS;

/** Each renewal replaces the cookie, so the tabs of a browser take turns. */
function takeTurn<T>(work: () => Promise<T>): Promise<T> {
  const locks: LockManager | undefined = globalThis.navigator?.locks;
  return locks ? (locks.request('carepost.renew', work) as Promise<T>) : work();
}

async function renew(): Promise<string> {
  if (isForeign) throw new NotSignedIn();
  const started = epoch;
  const answer = await takeTurn(() =>
    watched(() => globalThis.fetch('/api/account/renew', { method: 'POST', credentials: 'same-origin' })),
  );
  if (answer.status === 401 || answer.status === 403) {
    if (started === epoch) token = null;
    // Refused because of the IP address: there still is a session.
    throw answer.status === 401 ? new NotSignedIn() : new ApiError(403, await problemOf(answer));
  }
  if (!answer.ok) throw new NotRenewed(answer.status);
  const grant = (await answer.json()) as Grant;
  // The owner of the session must be known before the token is used.
  const renewed = await compare(grant.accessToken).catch((error) => {
    throw new NotRenewed(error);
  });
  if (renewed === 'other person') {
    isForeign = true;
    throw new NotSignedIn();
  }
  if (started === epoch) token = { value: grant.accessToken, expiresAt: Date.now() + grant.expiresIn * 1000 };
  if (renewed === 'other organization') throw new SessionChanged();
  return grant.accessToken;
}

/** The current token works until it expires. After that each call fails with its own message. */
function goOnWithout(error: unknown): string {
  if (error instanceof NotSignedIn || error instanceof SessionChanged || error instanceof ApiError) throw error;
  console.warn('The session was not renewed.', error);
  if (token && token.expiresAt > Date.now()) return token.value;
  throw error instanceof NotRenewed ? error : new NotRenewed(error);
}

/** A token for the next call. Concurrent calls share one renewal, which is logged when it fails. */
export async function freshToken(): Promise<string> {
  if (token && isFresh()) return token.value;
  renewal ??= renew()
    .catch(goOnWithout)
    .finally(() => {
      renewal = null;
    });
  return renewal;
}
