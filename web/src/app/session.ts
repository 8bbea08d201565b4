import { queryOptions, useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { redirect } from '@tanstack/react-router';
import { ApiError, api, handleRefusals, quiet, unwrap } from '@/api/client';
import { queryOf, reshaped } from '@/api/query';
import { compareRenewals, freshToken, NotSignedIn, setToken } from '@/api/token';
import type { AccessToken, Challenge, Profile } from '@/api/types';
import { handleSignedOut, reportError } from '@/shared/errors';
import { notify } from '@/shared/notify';
import { setOwner } from '@/shared/owner';
import { paths } from '@/shared/paths';
import { readJson, sessionStore } from '@/shared/storage';
import { preferencesQuery } from '@/shared/usePreference';
import { type Access, hasRole, landingOf, refusal } from './access';
import { brandingQuery } from './branding';
import { createQueryClient, FRESH_REFERENCE_MS } from './queryClient';
import { startSupportChat, stopSupportChat } from './supportChat';
import {
  lastProfile,
  rememberConnection,
  rememberProfile,
  rememberUrl,
  storedConnection,
  storedUrl,
  takeStoredUrl,
} from './redirectMemory';

/** The parts of the router that the session needs; it is created later. */
type Navigator = { go: (href: string) => void; here: () => string; reload: () => Promise<void> };
let navigator: Navigator = { go: () => {}, here: () => '/', reload: async () => {} };
export const setNavigator = (n: Navigator) => {
  navigator = n;
};

/** The change to another organization in progress. */
let switching: Promise<void> | null = null;

export const queryClient = createQueryClient({
  onRefusedPage: async () => {
    const here = navigator.here();
    // Screens of the previous organization may still make calls; their guards decide where to go instead.
    await switching?.catch(() => {});
    if (navigator.here() === here) navigator.go(paths.unauthorized);
  },
});

const readProfile = () => unwrap(api.GET('/api/users/profiledata'));
type ProfileAnswer = Awaited<ReturnType<typeof readProfile>>;
export const profileQuery = queryOptions({ queryKey: ['session', 'profile'], queryFn: readProfile });
export const featuresQuery = queryOptions({
  queryKey: ['session', 'features'],
  queryFn: async () => (await unwrap(api.GET('/api/features'))).features.filter((f) => f.isEnabled).map((f) => f.name),
});
/** Features were switched. */
export const readFeatures = () => void queryClient.invalidateQueries(featuresQuery);
export const extensionsQuery = queryOptions({
  ...reshaped(queryOf('get', '/api/attachments/extensions'), ({ extensions }) => extensions),
  staleTime: FRESH_REFERENCE_MS,
});
/** Kept for the browser session. */
const brandSettingsQuery = (brandId: string) =>
  queryOptions({
    queryKey: ['session', 'brandSettings', brandId],
    queryFn: async () => {
      const key = `brandSettings.${brandId}`;
      const kept = readJson<Record<string, string>>(sessionStore, key);
      if (kept) return kept;
      const { settings } = await unwrap(api.GET('/api/entitysettings/Brand/{brandId}', { params: { path: { brandId } } }));
      sessionStore.set(key, JSON.stringify(settings));
      return settings;
    },
    staleTime: Number.POSITIVE_INFINITY,
  });

handleSignedOut(() => expireSession());
handleRefusals((error, path) => {
  if (isLeaving) return;
  if (error.isRevoked) expireSession();
  // The permission was removed since the profile was read; the requested content says so in its place.
  else if (error.isRestricted) void refreshProfile();
  // The dialog with the terms opens by the profile.
  else if (error.isTermsRequired) {
    if (!shownProfile()?.mustAcceptTerms) void refreshProfile().catch(() => {});
  }
  // On a change of organization: the current one stays.
  else if (error.isAddressRefused && path === '/api/account/change') notify('error', error.message);
  else if (error.isAddressRefused) {
    setToken(null);
    navigator.go(paths.accessDenied);
  } else if (!switching) notify('error', 'You are not authorized to view this resource.');
});

/**
 * The windows of a browser share one renewal cookie, and by it one session. Each tells the others when it signs in or out or
 * switches; they renew, and compare the session's new owner with the one they show.
 */
const windows = new BroadcastChannel('carepost.session');
const tellOtherWindows = () => windows.postMessage('changed');
/** Restarts with the cookie, which determines the owner of the session. */
const lookAgain = () => {
  setToken(null);
  if (!shownProfile()) return;
  freshToken().catch((error) => {
    if (error instanceof NotSignedIn) expireSession();
  });
};
windows.onmessage = lookAgain;

const shownProfile = () => queryClient.getQueryData(profileQuery.queryKey);

compareRenewals(async (accessToken) => {
  const shown = shownProfile();
  if (!shown) return 'same';
  const asRenewed = { ...quiet, headers: { Authorization: `Bearer ${accessToken}` } };
  const now = await unwrap(api.GET('/api/users/profiledata', asRenewed));
  if (now.userId !== shown.userId) return 'other person';
  if (now.organizationId === shown.organizationId) return 'same';
  // Its calls need the token, which arrives with this renewal.
  setTimeout(() => void showOrganization(now).catch(reportError));
  return 'other organization';
});

/** The session is ending or has ended: later refusals and missing data follow from that. */
let isLeaving = false;

let ending: string | undefined;
/** Reason for the automatic end of the last session, until the next sign-in. */
export const whyEnded = () => ending;
const IDLE = 'You were signed out after a period of inactivity.';
const EXPIRED = 'Your session has ended.';

/** The session expired: remembers the place and asks for a sign-in, which says why. */
export function expireSession(why: string = EXPIRED) {
  if (isLeaving) return;
  isLeaving = true;
  ending = why;
  stopSupportChat();
  setToken(null);
  rememberUrl(navigator.here());
  queryClient.removeQueries({ predicate: (q) => q.queryKey[0] !== 'branding' });
  showBrandOfHost();
  navigator.go(paths.login(storedConnection()));
}

/** The password was right: where to go, or a second step. */
export async function signIn(credentials: { userName: string; password: string }): Promise<string | Challenge> {
  const answer = await unwrap(api.POST('/api/account/login', { body: credentials }));
  return 'challenge' in answer ? answer : enter(answer);
}

/** Redirects to the provider of a connection. */
export async function leaveForProvider(connection: string) {
  const { address } = await unwrap(api.POST('/api/account/sso', { body: { connection } }));
  window.location.assign(address);
}

/** Why the provider's response was rejected. */
let ssoRefusal: string | undefined;
export const lastSsoRefusal = () => ssoRefusal;

/** The second step required after the provider's response. */
let providerStep: Challenge | null = null;
export const lastProviderStep = () => providerStep;
export const forgetProviderStep = () => {
  providerStep = null;
};

/** Uses the provider's response, which works once; returns where to go, which may be the second step. */
export async function returnFromProvider(back: { organization: string; state: string; code?: string; iss?: string }): Promise<string> {
  ssoRefusal = undefined;
  try {
    const answer = await unwrap(api.POST('/api/account/sso/callback', { body: back }));
    if (!('challenge' in answer)) return await enter(answer);
    providerStep = answer;
    return paths.login(storedConnection());
  } catch (error) {
    ssoRefusal = error instanceof ApiError ? error.message : undefined;
    return paths.authError;
  }
}

/** Starts the session of a token; returns where to go. */
export function enter(grant: AccessToken): Promise<string> {
  setToken(grant);
  ending = undefined;
  forgetProviderStep();
  queryClient.removeQueries({ predicate: (q) => q.queryKey[0] !== 'branding' });
  tellOtherWindows();
  return afterSignIn();
}

/** Where to go once a session exists. */
export async function afterSignIn(): Promise<string> {
  const before = lastProfile();
  const { profile } = await loadSession();
  const target = takeStoredUrl();
  return target && (!before || before.userId === profile.userId) ? target : landingOf(profile);
}

/** Ends the session after inactivity, and remembers the place. */
export async function signOutIdle() {
  await signOut().catch(() => undefined);
  isLeaving = false;
  expireSession(IDLE);
}

/** Whether the ending session came from the provider of an organization. */
export async function cameByProvider() {
  // A missing session is no error at sign-out.
  isLeaving = true;
  const known = queryClient.getQueryData(profileQuery.queryKey);
  const profile = known ?? (await unwrap(api.GET('/api/users/profiledata')).catch(() => undefined));
  return profile?.authStrategy === 'sso';
}

export async function signOut() {
  isLeaving = true;
  try {
    await unwrap(api.POST('/api/account/logout'));
    tellOtherWindows();
  } finally {
    stopSupportChat();
    setToken(null);
    queryClient.removeQueries({ predicate: (q) => q.queryKey[0] !== 'branding' });
    showBrandOfHost();
  }
}

export async function switchOrganization(orgId: string) {
  try {
    const { data } = await unwrap(api.POST('/api/account/change', { body: { orgId } })).finally(tellOtherWindows);
    if (!data) {
      // The server did not switch: restart with the cookie.
      setToken(null);
      await freshToken();
    }
    await showOrganization(await readProfile());
  } catch (error) {
    // Whether the server switched is unknown, and the token works in either organization.
    lookAgain();
    throw error;
  }
}

/** Drops everything of the previous organization; the screens restart in the one of the profile. */
function showOrganization(profile: ProfileAnswer) {
  const change = restartIn(profile).finally(() => {
    if (switching === change) switching = null;
  });
  switching = change;
  return change;
}

async function restartIn(profile: ProfileAnswer) {
  await queryClient.cancelQueries();
  queryClient.removeQueries({ predicate: (q) => q.queryKey[0] !== 'session' && q.queryKey[0] !== 'branding' });
  setOwner(profile.userId, profile.organizationId);
  queryClient.setQueryData(profileQuery.queryKey, profile);
  // The features of the previous organization must not apply to this one, even if these cannot be loaded.
  await queryClient.resetQueries({ queryKey: featuresQuery.queryKey });
  await queryClient.invalidateQueries({ queryKey: ['branding'] });
  await navigator.reload();
}

/** Reloads the profile after something in it changed. */
export const refreshProfile = () => queryClient.fetchQuery({ ...profileQuery, staleTime: 0 });

/** Until somebody signs in the brand of the host name is shown; their own may be another. */
async function showOwnBrand({ brandId }: Profile) {
  const shown = queryClient.getQueryData(brandingQuery.queryKey);
  if (brandId && shown && shown.brandId !== brandId) await queryClient.refetchQueries({ queryKey: brandingQuery.queryKey });
}

/** Nobody is signed in any more. */
const showBrandOfHost = () => void queryClient.invalidateQueries({ queryKey: brandingQuery.queryKey });

/** Everything the screens behind sign-in rely on. */
async function loadSession() {
  const profile = await queryClient.ensureQueryData(profileQuery);
  await showOwnBrand(profile);
  isLeaving = false;
  setOwner(profile.userId, profile.organizationId);
  startSupportChat(profile);
  const [features] = await Promise.all([
    queryClient.ensureQueryData(featuresQuery),
    // Screens work without these and load them again if needed.
    queryClient.prefetchQuery(extensionsQuery),
    queryClient.prefetchQuery(preferencesQuery),
    profile.brandId ? queryClient.prefetchQuery(brandSettingsQuery(profile.brandId)) : undefined,
  ]);
  rememberProfile(profile);
  return { profile, features: new Set(features) };
}

type Location = { href: string; search: object };

/** A `beforeLoad` for a page that refuses access to signed-in people; others sign in. */
export const onlySignedIn = async () => {
  await queryClient.ensureQueryData(profileQuery).catch((error) => {
    if (error instanceof NotSignedIn) throw redirect({ href: paths.login(), replace: true });
  });
};

/** A `beforeLoad` for routes behind sign-in: `guard({ roles: ['SysAdmin'] })`. */
export const guard =
  (need: Access = {}) =>
  async ({ location }: { location: Location }) => {
    const session = await loadSession().catch((error) => {
      if (error instanceof NotSignedIn || (error instanceof ApiError && error.isRevoked)) throw toLogin(location);
      if (error instanceof ApiError && error.isAddressRefused) throw redirect({ href: paths.accessDenied });
      if (error instanceof ApiError && error.isRefused) throw redirect({ href: paths.unauthorized });
      throw error;
    });
    const elsewhere = refusal(need, session.profile, session.features);
    if (elsewhere) throw redirect({ href: elsewhere, replace: true });
    return session;
  };

/** Redirects to the provider named in the URL; everybody else uses the button. */
let arrives = false;
export const takeArrival = () => {
  const arrived = arrives;
  arrives = false;
  return arrived;
};

/** The connection in the URL, read before the screens drop unknown parameters. */
const arrivedWith = new URLSearchParams(window.location.search).get('ssoConnection');
if (arrivedWith) rememberConnection(arrivedWith);

function toLogin({ href, search }: Location) {
  const connection = (search as Record<string, unknown>).ssoConnection ?? arrivedWith;
  const named = typeof connection === 'string' && connection !== '';
  if (named) {
    rememberConnection(connection);
    arrives = true;
  }
  rememberUrl(href);
  return redirect({ href: paths.login(named ? storedConnection() : null) });
}

/** A `beforeLoad` for `/`, `/admin` and unknown paths. */
export const toLanding =
  ({ storedFirst = false } = {}) =>
  async (context: { location: Location }) => {
    const { profile } = await guard()(context);
    const stored = storedFirst ? storedUrl() : null;
    if (stored) takeStoredUrl();
    throw redirect({ href: stored && stored !== context.location.href ? stored : landingOf(profile), replace: true });
  };

export const useProfile = (): Profile => useSuspenseQuery(profileQuery).data;
export function useHasRole(roles: string | readonly string[]) {
  return hasRole(useProfile(), roles);
}
const NONE: string[] = [];
/** The features that are on. */
export const useFeatures = () => useQuery(featuresQuery).data ?? NONE;
export const useFeature = (name: string): boolean => useFeatures().includes(name);
/** True if the brand's setting is the text `true`. */
export function useBrandSetting(name: string): boolean {
  const brandId = useQuery(profileQuery).data?.brandId;
  return useQuery({ ...brandSettingsQuery(brandId ?? ''), enabled: Boolean(brandId) }).data?.[name] === 'true';
}
