import { act, screen } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import type { ReactElement } from 'react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { setToken } from '@/api/token';
import { renderScreen } from '@/test/render';
import { server } from '@/test/setup';
import { Alerts } from './Alerts';
import { MessagingDashboard } from './MessagingDashboard';

vi.mock('@/app/session', async (original) => ({ ...(await original<object>()), useHasRole: () => false }));

const alert = {
  id: 'a',
  createdAt: '2026-11-26T08:00:00Z',
  name: 'Work is waiting',
  status: 'Triggered',
  advice: 'Look at the nodes.',
  dataDogLink: 'https://monitoring.example/alerts/7',
};
let times: Record<string, number>;

beforeEach(() => {
  times = {};
  setToken({ accessToken: 't', expiresIn: 900 });
  server.use(
    http.get('*/api/*', ({ request }) => {
      const { pathname } = new URL(request.url);
      times[pathname] = (times[pathname] ?? 0) + 1;
      return HttpResponse.json({
        items: pathname.endsWith('systemalerts') ? [alert] : [],
        inboundMessages: [],
        outboundMessages: [],
        results: [],
        disk: { isFull: false },
        listeners: [],
        pools: [],
        auditFindings: [],
        waitingSteps: 0,
        retriedSteps: 0,
        unopenedMails: 0,
        failedWorkflows: 0,
        messagesReceived: 0,
        deliveries: 0,
        failedDeliveries: 0,
        unreadMessages: 0,
        documentsToReview: 0,
      });
    }),
  );
});
afterEach(() => void vi.useRealTimers());

const draw = async (ui: ReactElement) => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  renderScreen(ui);
  await screen.findByText('Work is waiting');
};

test('messaging health is read every 10 seconds (ADB-R-200)', async () => {
  await draw(<MessagingDashboard />);
  const paths = [
    '/api/admin/dashboard/messaging',
    ...['messageCounts', 'systemalerts'].map((name) => `/api/diagnostics/messaging/${name}`),
  ];
  await vi.waitFor(() => expect(paths.map((path) => times[path])).toEqual([1, 1, 1]));
  await act(() => vi.advanceTimersByTimeAsync(8_000));
  expect(paths.map((path) => times[path])).toEqual([1, 1, 1]);
  await act(() => vi.advanceTimersByTimeAsync(2_500));
  await vi.waitFor(() => expect(paths.map((path) => times[path])).toEqual([2, 2, 2]));
});

test('an alert leads to the monitoring service (ADB-R-199)', async () => {
  await draw(<Alerts />);
  expect(screen.getByRole('link', { name: 'Open the monitoring' })).toHaveAttribute('href', alert.dataDogLink);
});
