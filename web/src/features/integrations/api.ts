import { api, rawFetch, unwrap } from '@/api/client';
import { itemsOf, queryOf } from '@/api/query';
import type { EhrConnection, EhrConnectionForm } from '@/api/types';
import { madeName, saveFile } from '@/shared/saveFile';

export const LIST = '/api/integrations';

const at = (id: string) => ({ params: { path: { id } } });

/** All connections: an organization has few. */
export const connectionsQuery = itemsOf(queryOf('get', LIST));
export const typesQuery = itemsOf(queryOf('get', '/api/integrations/types'));
export const connectionQuery = (id: string) => ({ ...queryOf('get', '/api/integrations/{id}', at(id)), staleTime: 0 });

export const saveConnection = (body: EhrConnectionForm) => unwrap(api.PUT(LIST, { body }));
export const deleteConnection = (id: string) => api.DELETE('/api/integrations/{id}', at(id));

/** Tests what is saved; the outcome is noted at the connection. */
export const testSaved = (id: string) => unwrap(api.GET('/api/integrations/{id}/connectivity', at(id)));
export const testForm = (body: EhrConnectionForm) => unwrap(api.POST('/api/integrations/connectivity', { body }));

const FILES = { KeySet: { name: 'keys', extension: 'json' }, Certificate: { name: 'certificate', extension: 'pem' } };

/** Saves the public key of a connection as a file. */
export async function downloadKey({ id }: EhrConnection, form: keyof typeof FILES) {
  const response = await rawFetch(`/api/integrations/${id}/downloadcertificate`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ form }),
  });
  const { name, extension } = FILES[form];
  saveFile(await response.blob(), madeName(name, extension));
}
