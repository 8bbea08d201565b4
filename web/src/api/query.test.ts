import { QueryObserver } from '@tanstack/react-query';
import { beforeEach, expect, test } from 'vitest';
import { createQueryClient } from '@/app/queryClient';
import { jobsQuery } from '@/features/account/users/api';
import { answer } from '@/test/answers';
import { quiet } from './client';
import { itemsOf, queryOf, refresh, refreshOnly } from './query';
import { setToken } from './token';

const client = createQueryClient({ onRefusedPage: () => {} });
const at = (id: string) => ({ params: { path: { id } } });
beforeEach(() => setToken({ accessToken: 't', expiresIn: 900 }));

test('what was read is not asked for again while it is fresh, as the jobs of people are (SES-R-315, SES-R-329)', async () => {
  const asked = answer('get', '/api/users/jobs', { items: [{ id: 'j', name: 'Nurse' }] } as never);
  for (let n = 0; n < 2; n++) expect(await client.fetchQuery(jobsQuery)).toEqual([{ id: 'j', name: 'Nurse' }]);
  expect(asked).toHaveLength(1);
});

test('a write makes what was read from its path, and below it, be read anew, and nothing else (SES-R-316)', async () => {
  const network = { id: 'n', name: 'Cascade', version: 1 };
  const asked = {
    list: answer('get', '/api/networks', { items: [network], totalCount: 1, totalIsCapped: false }),
    one: answer('get', '/api/networks/{id}', network),
    other: answer('get', '/api/reservedwords', { items: [], totalCount: 0, totalIsCapped: false }),
  };
  const queries = [
    queryOf('get', '/api/networks'),
    queryOf('get', '/api/networks/{id}', { params: { path: { id: 'n' } } }),
    queryOf('get', '/api/reservedwords'),
  ];
  const ends = queries.map((query) => new QueryObserver(client, query as object as { queryKey: string[] }).subscribe(() => {}));
  const times = () => [asked.list.length, asked.one.length, asked.other.length];
  await expect.poll(times).toEqual([1, 1, 1]);
  await refresh(client, '/api/networks');
  await expect.poll(times).toEqual([2, 2, 1]);
  for (const end of ends) end();
});

test('what is below a path is left alone where only the path itself is to be read anew', async () => {
  const asked = {
    list: answer('get', '/api/networks', { items: [], totalCount: 0, totalIsCapped: false }),
    one: answer('get', '/api/networks/{id}', { id: 'o', name: 'Cascade', version: 1 }),
  };
  const queries = [queryOf('get', '/api/networks', { params: { query: { page: 2 } } }), queryOf('get', '/api/networks/{id}', at('o'))];
  const ends = queries.map((q) => new QueryObserver<unknown>(client, q).subscribe(() => {}));
  const times = () => [asked.list.length, asked.one.length];
  await expect.poll(times).toEqual([1, 1]);
  await refreshOnly(client, '/api/networks');
  await expect.poll(times).toEqual([2, 1]);
  for (const end of ends) end();
});

test('the key of a query is what it calls', async () => {
  const asked = answer('get', '/api/networks/{id}', { id: 'm', name: 'Cascade', version: 1 });
  const network = queryOf('get', '/api/networks/{id}', { ...at('m'), ...quiet });
  expect(network.queryKey).toEqual(['get', '/api/networks/{id}', { params: { path: { id: 'm' } } }]);
  await client.fetchQuery(network);
  expect(asked).toHaveLength(1);
  expect(client.getQueryData(network.queryKey)?.name).toBe('Cascade');
});

test('the items of a list have a key below that of the list', async () => {
  answer('get', '/api/users/jobs', { items: [{ id: 'j', name: 'Nurse' }] } as never);
  const jobs = itemsOf(queryOf('get', '/api/users/jobs'));
  expect(jobs.queryKey).toEqual(['get', '/api/users/jobs', 'items']);
  expect(await client.fetchQuery(jobs)).toEqual([{ id: 'j', name: 'Nurse' }]);
});
