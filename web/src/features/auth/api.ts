import { ApiError, api, unwrap } from '@/api/client';
import { queryOf, reshaped } from '@/api/query';
import type { FirstOperatorInput, Method, RegistrationInput } from '@/api/types';
import { askPasskey } from '@/shared/webauthn';

export const answerCode = (challenge: string, method: Method, code: string) =>
  unwrap(api.POST('/api/account/login/code', { body: { challenge, method, code } }));

export const sendCode = (challenge: string) => unwrap(api.POST('/api/account/login/email', { body: { challenge } }));

/** Signs in with a passkey: as the second step of a challenge, or alone. */
export async function answerPasskey(challenge?: string) {
  const asked = await unwrap(api.POST('/api/account/login/passkey/options', { body: { challenge } }));
  const credential = await askPasskey(asked.options);
  return unwrap(api.POST('/api/account/login/passkey', { body: { challenge: asked.challenge, credential } }));
}

export const forgotPassword = (userName: string) => unwrap(api.POST('/api/account/password/forgot', { body: { userName } }));

/** A refusal of the server is final; other failures may pass. */
export const mayPass = (error: Error) => !(error instanceof ApiError) || error.status >= 500;

/** A link is checked once: if a later check failed, it could discard input. */
const ASKED_ONCE = { staleTime: Number.POSITIVE_INFINITY, retry: false };

export const linkQuery = (token: string) => ({
  ...queryOf('post', '/api/account/password/link', { body: { token } }),
  ...ASKED_ONCE,
});

export const registrationLinkQuery = (token: string) => ({
  ...queryOf('post', '/api/account/register/link', { body: { token } }),
  ...ASKED_ONCE,
});

export const setPassword = (token: string, password: string) =>
  unwrap(api.POST('/api/account/password/set', { body: { token, password } }));

export const registrationOptionsQuery = queryOf('get', '/api/account/register/options');
export const isSubdomainTaken = async (subDomain: string) =>
  !(await unwrap(api.POST('/api/account/register/subdomain', { body: { subDomain } }))).isAvailable;

export const register = (body: RegistrationInput) => unwrap(api.POST('/api/account/register', { body }));

export const confirmRegistration = (token: string, password: string) =>
  unwrap(api.POST('/api/account/register/confirm', { body: { token, password } }));

export const setupLinkQuery = (token: string) => ({
  ...reshaped(queryOf('post', '/api/setup/link', { body: { token } }), () => true),
  ...ASKED_ONCE,
});

export const createFirstOperator = (body: FirstOperatorInput) => unwrap(api.POST('/api/setup/operator', { body }));
