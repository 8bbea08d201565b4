import { act, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse, http } from 'msw';
import { afterEach, expect, test, vi } from 'vitest';
import { setToken } from '@/api/token';
import { answer } from '@/test/answers';
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
  await screen.findByText('No node has reported.');
  await act(() => vi.advanceTimersByTimeAsync(25_000));
  expect(times).toEqual({ stats: 1, worker: 1 });
  await act(() => vi.advanceTimersByTimeAsync(6_000));
  await vi.waitFor(() => expect(times).toEqual({ stats: 2, worker: 2 }));
});

test('messages and conversion time of the last 2 hours are drawn, or of longer, and the nodes at work are listed (ADB-S-030, ADB-S-031, ADB-S-032, ADB-R-211, ADB-R-214)', async () => {
  setToken({ accessToken: 't', expiresIn: 900 });
  const minute = (received: number, sent: number) => ({ date: '2026-11-26T08:00:00Z', received, sent, failed: 1 });
  const conversion = { date: '2026-11-26T08:00:00Z', count: 2, milliseconds: 300 };
  const asked = answer('get', '/api/diagnostics/stats', { messages: [minute(4, 3), minute(1, 0)], conversions: [conversion, conversion] });
  const node = { id: 'n', name: 'alder', roles: ['web', 'worker'], version: '1.2.0', startedDate: '2026-11-26T08:00:00Z', isAtWork: true };
  answer('get', '/api/diagnostics/worker', { nodes: [node], lanes: [{ lane: 'Receiving', busy: 2, waiting: 3 }] } as never);
  renderScreen(<StatisticsPage />);
  await screen.findByRole('img', { name: 'Messages: 5 received, 3 sent, 2 attempts failed; at most 7 messages' });
  expect(screen.getByRole('img', { name: 'Conversion time: 4 files, 300 ms on average; at most 300 ms' })).toBeInTheDocument();
  expect(screen.getByRole('heading', { name: 'Messages and conversion time, the last 2 hours' })).toBeInTheDocument();
  const nodes = await screen.findByRole('list', { name: 'Active nodes' });
  for (const text of ['alder', 'web, worker; version 1.2.0', 'Active']) expect(nodes).toHaveTextContent(text);
  expect(screen.getByRole('list', { name: 'Lanes' })).toHaveTextContent('Receiving2 running, 3 waiting');
  await userEvent.click(screen.getByRole('combobox', { name: 'Hours' }));
  await userEvent.click(await screen.findByRole('option', { name: 'The last 6 hours', hidden: true }));
  await vi.waitFor(() => expect(asked.map(({ query }) => query.get('hours'))).toEqual(['1', '3']));
});
