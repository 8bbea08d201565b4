import { QueryClientProvider } from '@tanstack/react-query';
import { createMemoryHistory, createRootRoute, createRouter } from '@tanstack/react-router';
import { act, render, screen, waitFor } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { api, quiet } from '@/api/client';
import { setToken } from '@/api/token';
import { answer, refusal } from '@/test/answers';
import { brand } from '@/test/session';
import { server } from '@/test/setup';
import { BrandGate } from './BrandGate';
import { LoadingLine } from './LoadingLine';
import { createQueryClient } from './queryClient';

const own = vi.hoisted(() => ({ router: {} }));
vi.mock('./router', () => ({
  get router() {
    return own.router;
  },
}));
const newRouter = () => createRouter({ routeTree: createRootRoute(), history: createMemoryHistory({ initialEntries: ['/'] }) });

/** Holds a read back until it is released. */
function held(path: string) {
  const arrived = vi.fn();
  let release = () => {};
  const waits = new Promise<void>((done) => {
    release = done;
  });
  server.use(
    http.get(path, async () => {
      arrived();
      await waits;
      return HttpResponse.json({});
    }),
  );
  return { arrived, release };
}
const show = () =>
  render(
    <QueryClientProvider client={createQueryClient({ onRefusedPage: () => {} })}>
      <LoadingLine />
      <BrandGate>a screen</BrandGate>
    </QueryClientProvider>,
  );
const isOn = () => document.querySelector('.cp-loading[role=progressbar]')!.hasAttribute('data-on');
const settled = () => waitFor(() => expect(isOn()).toBe(false));

let router = newRouter();
beforeEach(() => {
  setToken({ accessToken: 't', expiresIn: 900 });
  router = newRouter();
  own.router = router;
});
afterEach(() => vi.useRealTimers());

test('a page that is opened is on its way until its first screen is shown', async () => {
  answer('get', '/api/branding', brand);
  show();
  expect(isOn()).toBe(true);
  await screen.findByText('a screen');
  expect(isOn()).toBe(true);
  await act(() => router.load());
  await settled();
});

test('the loading line runs from the first request under way to the end of the last (MSG-S-065, SES-S-066, MSG-R-262, MSG-R-263, SES-R-222, SES-R-223)', async () => {
  answer('get', '/api/branding', brand);
  await router.load();
  show();
  await settled();
  const [first, second] = [held('*/api/features'), held('*/api/releasetypes')];
  const one = api.GET('/api/features');
  await waitFor(() => expect(isOn()).toBe(true));
  const other = api.GET('/api/releasetypes');
  first.release();
  await act(() => one);
  expect(isOn()).toBe(true);
  second.release();
  await act(() => other);
  expect(isOn()).toBe(false);
});

test('a request can leave the loading line alone (MSG-R-264, SES-R-224)', async () => {
  answer('get', '/api/branding', brand);
  await router.load();
  show();
  await settled();
  const { arrived, release } = held('*/api/features');
  const work = api.GET('/api/features', quiet);
  await waitFor(() => expect(arrived).toHaveBeenCalled());
  expect(isOn()).toBe(false);
  release();
  await work;
});

test('a server that cannot be reached is said, and asked again on request', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  const asked = refusal('get', '/api/branding', 503);
  show();
  for (let n = 0; n < 8; n++) await act(() => vi.advanceTimersByTimeAsync(1000));
  expect(screen.getByRole('alert')).toHaveTextContent('The server could not be reached');
  expect(asked.length).toBeGreaterThan(2);
  expect(isOn()).toBe(false);
  answer('get', '/api/branding', brand);
  screen.getByRole('button', { name: 'Try again' }).click();
  expect(await screen.findByText('a screen')).toBeInTheDocument();
});
