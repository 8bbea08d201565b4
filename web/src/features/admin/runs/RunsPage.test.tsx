import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse, http } from 'msw';
import { expect, test, vi } from 'vitest';
import { setToken } from '@/api/token';
import { renderScreen } from '@/test/render';
import { server } from '@/test/setup';
import { RunsPage } from './RunsPage';

vi.mock('@/app/session', async (original) => ({ ...(await original<object>()), useHasRole: () => true }));

const run = (n: number) => ({
  id: `run-${n}`,
  type: 'MessageSendWorkflow',
  status: 'Completed',
  channel: 'Direct',
  createdTime: '2026-11-09T10:46:02Z',
  steps: [],
});

test('behind the last page that is counted, workflows are reached by their ids', async () => {
  setToken({ accessToken: 't', expiresIn: 900 });
  const asked: (string | null)[][] = [];
  server.use(
    http.get('*/api/diagnostics/messaging/workflows', ({ request }) => {
      const query = new URL(request.url).searchParams;
      asked.push([query.get('pageNumber'), query.get('cursor'), query.get('status')]);
      const items = Array.from({ length: 20 }, (_, n) => run(asked.length * 100 + n));
      return HttpResponse.json({ items, totalCount: 10_000, totalIsCapped: true });
    }),
  );
  const router = renderScreen(<RunsPage />, '/?page=500&status=Failed');
  await userEvent.click(await screen.findByRole('button', { name: 'Next page' }));
  await expect
    .poll(() => asked)
    .toEqual([
      ['500', null, 'Failed'],
      [null, 'run-119', 'Failed'],
    ]);
  expect(router.state.location.search).toMatchObject({ page: 501 });
});
