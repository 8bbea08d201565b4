import { useQueryClient } from '@tanstack/react-query';
import { api, unwrap } from '@/api/client';
import { queryClient } from '@/app/session';
import { refresh } from '@/api/query';
import type { IdentityProof } from '@/domain/identity/ResetDialog';

/** Paths refetched after a change of an account. */
const RELATED = ['/api/admin/users', '/api/organizations'] as const;

export const at = (id: string) => ({ params: { path: { id } } });

export function useRefreshUsers() {
  const client = useQueryClient();
  return () => refresh(client, ...RELATED);
}

export async function disableTwoFactor(id: string, identityProof: IdentityProof) {
  await unwrap(api.POST('/api/admin/users/{id}/2fa/disable', { params: { path: { id }, query: { identityProof } } }));
  await refresh(queryClient, ...RELATED);
}

export const nameOf = (user: { firstName: string; lastName: string }) => `${user.firstName} ${user.lastName}`.trim();
export const subjectOf = (user: { firstName: string; lastName: string; userName: string }) => `${nameOf(user)} (${user.userName})`;
