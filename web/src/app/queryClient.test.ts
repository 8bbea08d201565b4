import { QueryObserver } from '@tanstack/react-query';
import { expect, test, vi } from 'vitest';
import { ApiError } from '@/api/client';
import { NotSignedIn } from '@/api/token';
import { createQueryClient, FRESH_LIST_MS, FRESH_REFERENCE_MS } from './queryClient';

test('lists are kept for 60 s, reference data for 6000 s (MSG-R-402, MSG-R-403)', () => {
  expect(createQueryClient({ onRefusedPage: () => {} }).getDefaultOptions().queries?.staleTime).toBe(60_000);
  expect([FRESH_LIST_MS, FRESH_REFERENCE_MS]).toEqual([60_000, 6_000_000]);
});

test('only a refused page leads away (MSG-R-261, SES-R-216)', async () => {
  const refused = vi.fn();
  const client = createQueryClient({ onRefusedPage: refused });
  const fail = () => Promise.reject(new ApiError(403, {}));
  await client.fetchQuery({ queryKey: ['part'], queryFn: fail, retry: false }).catch(() => {});
  expect(refused).not.toHaveBeenCalled();
  await client.fetchQuery({ queryKey: ['page'], queryFn: fail, retry: false, meta: { page: true } }).catch(() => {});
  expect(refused).toHaveBeenCalledTimes(1);
});

test('a refused address does not lead to the page of who may not open something', async () => {
  const refused = vi.fn();
  const client = createQueryClient({ onRefusedPage: refused });
  const fail = () => Promise.reject(new ApiError(403, { reason: 'Address not allowed.' }));
  await client.fetchQuery({ queryKey: ['page'], queryFn: fail, retry: false, meta: { page: true } }).catch(() => {});
  expect(refused).not.toHaveBeenCalled();
});

test('refused requests are not retried', () => {
  const { retry } = createQueryClient({ onRefusedPage: () => {} }).getDefaultOptions().queries ?? {};
  const again = retry as (count: number, error: Error) => boolean;
  expect(again(0, new ApiError(404, {}))).toBe(false);
  expect(again(0, new NotSignedIn())).toBe(false);
  expect(again(0, new ApiError(503, {}))).toBe(true);
  expect(again(2, new ApiError(503, {}))).toBe(false);
});

test('a first read under way when its query is invalidated is not taken for the last word', async () => {
  const client = createQueryClient({ onRefusedPage: () => {} });
  const answers: ((rows: string) => void)[] = [];
  const queryFn = () => new Promise<string>((answer) => answers.push(answer));
  const end = new QueryObserver(client, { queryKey: ['rows'], queryFn }).subscribe(() => {});
  const done = client.invalidateQueries({ queryKey: ['rows'] });
  await expect.poll(() => answers.length).toBe(1);
  answers[0]!('before');
  await expect.poll(() => answers.length).toBe(2);
  expect(client.getQueryData(['rows'])).toBe('before');
  answers[1]!('after');
  await done;
  expect(client.getQueryData(['rows'])).toBe('after');
  end();
});
