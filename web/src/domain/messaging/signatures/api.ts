import { keepPreviousData, type QueryClient, queryOptions, useQueryClient } from '@tanstack/react-query';
import { api, quiet, rawFetch, unwrap } from '@/api/client';
import { queryOf, refresh } from '@/api/query';
import type { SignatureView, SignedPdf, SignForm, Signers } from '@/api/types';
import { saveFile } from '@/shared/saveFile';
import { refreshActivity } from '../api';

const at = (id: string) => ({ params: { path: { id } } });

/** The signature requests of a message. */
export const signersQuery = (messageId: string) => queryOf('get', '/api/messages/{id}/signers', { ...at(messageId), ...quiet });

/** A page of the requests that wait for the caller, were answered by them, or were made by them. */
export const signaturesQuery = (view: SignatureView, pageStart: number, pageSize: number) =>
  queryOptions({
    ...queryOf('get', '/api/messages/signatures', { params: { query: { view, pageStart, pageSize } }, ...quiet }),
    placeholderData: keepPreviousData,
  });

/** The number of signatures that wait for the caller. */
export const waitingSignaturesQuery = signaturesQuery('waiting', 1, 1);

const refreshSignatures = (client: QueryClient) => refresh(client, '/api/messages/{id}/signers', '/api/messages/signatures');

/** Calls on the signers of a message; each puts the answer in the cache. */
export function useSigning(messageId: string) {
  const client = useQueryClient();
  const keep = async (answer: Promise<Signers>) => {
    try {
      client.setQueryData(signersQuery(messageId).queryKey, await answer);
    } finally {
      // Also after a refusal: the displayed state may be outdated.
      void refreshSignatures(client);
    }
    void refreshActivity(client, messageId);
  };
  const path = at(messageId);
  return {
    request: (signers: string[], note: string) =>
      keep(unwrap(api.POST('/api/messages/{id}/signers', { ...path, body: { signers, note: note || null } }))),
    sign: (documents: string, given: Omit<SignForm, 'documents'>) =>
      keep(unwrap(api.POST('/api/messages/{id}/signers/sign', { ...path, body: { documents, ...given } }))),
    retry: (attachmentId: string) =>
      keep(
        unwrap(
          api.POST('/api/messages/{id}/signers/documents/{attachmentId}/retry', { params: { path: { id: messageId, attachmentId } } }),
        ),
      ),
    decline: (reason: string) => keep(unwrap(api.POST('/api/messages/{id}/signers/decline', { ...path, body: { reason } }))),
    cancel: (signatureId: string) =>
      keep(unwrap(api.DELETE('/api/messages/{id}/signers/{signatureId}', { params: { path: { id: messageId, signatureId } } }))),
  };
}

/** Refetches the data named by a hub event. */
export function useRefreshSignatures() {
  const client = useQueryClient();
  return () => void refreshSignatures(client);
}

/** Saves the signed PDF of a document. */
export async function saveSignedPdf(messageId: string, { attachmentId, fileName }: SignedPdf) {
  const file = await rawFetch(`/api/messages/${messageId}/signers/documents/${attachmentId}`);
  saveFile(await file.blob(), fileName);
}

/** Saves the certificates that PDF readers need to trust the organization's signatures. */
export async function saveSigningCertificates() {
  const file = await rawFetch('/api/settings/signingcertificates');
  saveFile(await file.blob(), 'Signing certificates.p7c');
}
