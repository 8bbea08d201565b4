import { QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query';
import { act, renderHook, waitFor } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import type { ReactNode } from 'react';
import { expect, test, vi } from 'vitest';
import { setToken } from '@/api/token';
import { server } from '@/test/setup';
import { useBulk } from './bulk';

test('what was done is answered before the list is read anew', async () => {
  setToken({ accessToken: 'a', expiresIn: 900 });
  server.use(http.post('*/api/messages/bulk', () => HttpResponse.json({ done: ['a'], refused: [] })));
  const list = vi.fn<() => Promise<string[]>>().mockResolvedValueOnce(['a']);
  list.mockReturnValue(new Promise(() => {}));
  const client = new QueryClient();
  const wrapper = ({ children }: { children: ReactNode }) => <QueryClientProvider client={client}>{children}</QueryClientProvider>;
  const { result } = renderHook(
    () => ({ rows: useQuery({ queryKey: ['rows'], queryFn: list }), bulk: useBulk((of) => of.invalidateQueries({ queryKey: ['rows'] })) }),
    { wrapper },
  );
  await waitFor(() => expect(result.current.rows.data).toEqual(['a']));
  const done = await act(() => result.current.bulk.mutateAsync({ act: 'delete', ids: ['a'] }));
  expect(done).toEqual({ done: ['a'], refused: [] });
  expect(list).toHaveBeenCalledTimes(2);
});
