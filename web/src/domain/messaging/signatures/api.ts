import { keepPreviousData, type QueryClient, queryOptions, useQueryClient } from '@tanstack/react-query';
import { api, quiet, unwrap } from '@/api/client';
import { queryOf, refresh } from '@/api/query';
import type { SignatureView, Signers } from '@/api/types';
import { refreshActivity } from '../api';

const at = (id: string) => ({ params: { path: { id } } });

/** Who is asked to sign the documents of a message, and who has. */
export const signersQuery = (messageId: string) => queryOf('get', '/api/messages/{id}/signers', { ...at(messageId), ...quiet });

/** A page of what waits for the caller, was settled by them, or was requested by them. */
export const signaturesQuery = (view: SignatureView, pageStart: number, pageSize: number) =>
  queryOptions({
    ...queryOf('get', '/api/messages/signatures', { params: { query: { view, pageStart, pageSize } }, ...quiet }),
    placeholderData: keepPreviousData,
  });

/** How many signatures wait for the caller. */
export const waitingSignaturesQuery = signaturesQuery('waiting', 1, 1);

const refreshSignatures = (client: QueryClient) => refresh(client, '/api/messages/{id}/signers', '/api/messages/signatures');

/** Calls on the signers of a message; each puts the answer where the screens find it. */
export function useSigning(messageId: string) {
  const client = useQueryClient();
  const keep = async (answer: Promise<Signers>) => {
    try {
      client.setQueryData(signersQuery(messageId).queryKey, await answer);
    } finally {
      // Also after a refusal: somebody else may have changed what was in view.
      void refreshSignatures(client);
    }
    void refreshActivity(client, messageId);
  };
  const path = at(messageId);
  return {
    request: (signers: string[], note: string) =>
      keep(unwrap(api.POST('/api/messages/{id}/signers', { ...path, body: { signers, note: note || null } }))),
    sign: (documents: string, proof: { password?: string; code?: string; acceptsPatient: boolean }) =>
      keep(unwrap(api.POST('/api/messages/{id}/signers/sign', { ...path, body: { documents, ...proof } }))),
    decline: (reason: string) => keep(unwrap(api.POST('/api/messages/{id}/signers/decline', { ...path, body: { reason } }))),
    cancel: (signatureId: string) =>
      keep(unwrap(api.DELETE('/api/messages/{id}/signers/{signatureId}', { params: { path: { id: messageId, signatureId } } }))),
  };
}

/** Reads anew what a hub told of. */
export function useRefreshSignatures() {
  const client = useQueryClient();
  return () => void refreshSignatures(client);
}
