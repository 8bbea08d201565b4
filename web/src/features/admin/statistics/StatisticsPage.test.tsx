import { act, screen } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { afterEach, expect, test, vi } from 'vitest';
import { setToken } from '@/api/token';
import { renderScreen } from '@/test/render';
import { server } from '@/test/setup';
import { StatisticsPage } from './StatisticsPage';

afterEach(() => void vi.useRealTimers());

test('the figures are read every 30 seconds (ADB-R-212)', async () => {
  setToken({ accessToken: 't', expiresIn: 900 });
  const minute = { date: '2026-11-26T08:00:00Z' };
  const times = { stats: 0, worker: 0 };
  server.use(
    http.get('*/api/diagnostics/:name', ({ params }) => {
      times[params.name as keyof typeof times]++;
      const messages = [{ ...minute, received: 1, sent: 1, failed: 0 }];
      return HttpResponse.json({ messages, conversions: [{ ...minute, count: 0 }], nodes: [], lanes: [] });
    }),
  );
  vi.useFakeTimers({ shouldAdvanceTime: true });
  renderScreen(<StatisticsPage />);
  await screen.findByText('No node has said that it is at work.');
  await act(() => vi.advanceTimersByTimeAsync(25_000));
  expect(times).toEqual({ stats: 1, worker: 1 });
  await act(() => vi.advanceTimersByTimeAsync(6_000));
  await vi.waitFor(() => expect(times).toEqual({ stats: 2, worker: 2 }));
});
