import { useQueryClient } from '@tanstack/react-query';
import { refresh } from '@/api/query';

/** What is read anew after an account changed. */
const RELATED = ['/api/admin/users', '/api/organizations'] as const;

export const at = (id: string) => ({ params: { path: { id } } });

export function useRefreshUsers() {
  const client = useQueryClient();
  return () => refresh(client, ...RELATED);
}

export const nameOf = (user: { firstName: string; lastName: string }) => `${user.firstName} ${user.lastName}`.trim();
export const subjectOf = (user: { firstName: string; lastName: string; userName: string }) => `${nameOf(user)} (${user.userName})`;
