import { beforeEach, expect, test } from 'vitest';
import { api, unwrap } from '@/api/client';
import { setToken } from '@/api/token';
import { answer, refusal } from './answers';

beforeEach(() => setToken({ accessToken: 't', expiresIn: 900 }));

test('an operation is answered with what was described, and its requests are kept', async () => {
  const asked = answer('get', '/api/admin/lists/{list}', ({ path }) => ({
    items: [{ id: '1', name: path.list!, code: '', isRetired: false, version: 1 }],
    totalCount: 1,
    totalIsCapped: false,
  }));
  const params = { path: { list: 'documentTypes' as never }, query: { search: 'a b' } };
  const read = await unwrap(api.GET('/api/admin/lists/{list}', { params }));
  expect(read.items[0]).toMatchObject({ name: 'documentTypes' });
  expect(asked[0]!.query.get('search')).toBe('a b');
  // @ts-expect-error -- the server answers no such thing.
  answer('get', '/api/admin/lists/{list}', { wrong: true });
});

test('a refusal has the words of the server', async () => {
  const asked = refusal('post', '/api/messages/{id}/send', 422, { message: 'Not now.' } as never);
  await expect(unwrap(api.POST('/api/messages/{id}/send', { params: { path: { id: 'm' } }, body: {} as never }))).rejects.toThrow(
    'Not now.',
  );
  expect(asked).toHaveLength(1);
});

test('paths of OData are answered too', async () => {
  const asked = answer('get', '/odata/mailmessages({id})/MailAttachments', { value: [] } as never);
  await unwrap(api.GET('/odata/mailmessages({id})/MailAttachments', { params: { path: { id: 'm' } } } as never));
  expect(asked[0]!.path).toEqual({ id: 'm' });
});
