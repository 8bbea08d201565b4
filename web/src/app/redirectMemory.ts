import { readJson, sessionStore } from '@/shared/storage';

/** The place to return to after sign-in, and the single sign-on connection that was used. */

const NEVER_PREFIXES = [
  '/unauthorized',
  '/access-denied',
  '/auth-error',
  '/callback',
  '/account/login',
  '/account/register',
  '/account/logout',
  '/?email=',
];
const NEVER_EXACT = ['/', '/admin'];

export function isWorthRemembering(href: string): boolean {
  const url = href.toLowerCase();
  return url.startsWith('/') && !url.startsWith('//') && !NEVER_EXACT.includes(url) && !NEVER_PREFIXES.some((p) => url.startsWith(p));
}

export function rememberUrl(href: string) {
  if (isWorthRemembering(href)) sessionStore.set('redirectUrl', href);
}

export const storedUrl = () => {
  const href = sessionStore.get('redirectUrl');
  return href && isWorthRemembering(href) ? href : null;
};

export function takeStoredUrl(): string | null {
  const href = storedUrl();
  sessionStore.set('redirectUrl', null);
  return href;
}

/** Names of connections are always lower-case. */
export const rememberConnection = (connection: string | null) => sessionStore.set('ssoConnection', connection?.toLowerCase() ?? null);
export const storedConnection = () => sessionStore.get('ssoConnection');

type LastProfile = { userId: string; organizationId?: string | null };
export const rememberProfile = (profile: LastProfile) =>
  sessionStore.set('ProfileData', JSON.stringify({ userId: profile.userId, organizationId: profile.organizationId }));
/** The user who last worked in this tab, so that nobody returns to another person's place. */
export const lastProfile = () => readJson<LastProfile>(sessionStore, 'ProfileData');
