import { api, unwrap } from '@/api/client';
import { itemsOf, queryOf } from '@/api/query';
import type { OwnProfileInput, PasswordOrCode, PreferencesInput } from '@/api/types';
import { profileQuery, queryClient } from '@/app/session';
import { createPasskey } from '@/shared/webauthn';

export const ownProfileQuery = {
  ...queryOf('get', '/api/account/profile'),
  meta: { page: true },
};
export const secondFactorQuery = queryOf('get', '/api/account/secondfactor');
export const sessionsQuery = itemsOf(queryOf('get', '/api/account/sessions'));
export const preferencesQuery = queryOf('get', '/api/account/preferences');

export async function saveOwnProfile(body: OwnProfileInput) {
  const saved = await unwrap(api.PUT('/api/account/profile', { body }));
  queryClient.setQueryData(ownProfileQuery.queryKey, saved);
  await queryClient.invalidateQueries({ queryKey: profileQuery.queryKey });
  return saved;
}

export async function changePassword(body: { oldPassword: string; password: string }) {
  await unwrap(api.POST('/api/account/password', { body }));
  await queryClient.invalidateQueries({ queryKey: sessionsQuery.queryKey });
}

const changed = async <T>(call: Promise<T>) => {
  const answer = await call;
  await queryClient.invalidateQueries({ queryKey: secondFactorQuery.queryKey });
  return answer;
};

export const startAuthenticator = (password: string) => unwrap(api.POST('/api/account/secondfactor/authenticator', { body: { password } }));
export const confirmAuthenticator = (challenge: string, code: string) =>
  changed(unwrap(api.POST('/api/account/secondfactor/authenticator/confirm', { body: { challenge, code } })));
export const removeAuthenticator = (password: string) =>
  changed(unwrap(api.POST('/api/account/secondfactor/authenticator/remove', { body: { password } })));
export const setEmailCodes = (password: string, on: boolean) =>
  changed(unwrap(api.PUT('/api/account/secondfactor/email', { body: { password, on } })));
export const renewRecoveryCodes = (password: string) =>
  changed(unwrap(api.POST('/api/account/secondfactor/recoverycodes', { body: { password } })));

export async function addPasskey(password: string, name: string) {
  const asked = await unwrap(api.POST('/api/account/passkeys/options', { body: { password } }));
  const credential = await createPasskey(asked.options);
  return changed(unwrap(api.POST('/api/account/passkeys', { body: { challenge: asked.challenge, name, credential } })));
}
export const renamePasskey = (id: string, password: string, name: string) =>
  changed(unwrap(api.PUT('/api/account/passkeys/{id}', { params: { path: { id } }, body: { password, name } })));
export const removePasskey = (id: string, password: string) =>
  changed(unwrap(api.POST('/api/account/passkeys/{id}/remove', { params: { path: { id } }, body: { password } })));

export async function endSession(id: string, body: PasswordOrCode) {
  await unwrap(api.POST('/api/account/sessions/{id}/end', { params: { path: { id } }, body }));
  await queryClient.invalidateQueries({ queryKey: sessionsQuery.queryKey });
}
export const endSessions = (body: PasswordOrCode) => unwrap(api.POST('/api/account/sessions/end', { body }));

export async function savePreferences(body: PreferencesInput) {
  queryClient.setQueryData(preferencesQuery.queryKey, await unwrap(api.PUT('/api/account/preferences', { body })));
}
