import { act, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse, http } from 'msw';
import type { ReactElement } from 'react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { setToken } from '@/api/token';
import { renderScreen } from '@/test/render';
import { server } from '@/test/setup';
import { Alerts } from './Alerts';
import { MessagingDashboard } from './MessagingDashboard';

vi.mock('@/app/session', async (original) => ({ ...(await original<object>()), useHasRole: () => false }));

const channel = (name: string, state: string, failure: number) => ({
  name,
  state,
  success: 41,
  failure,
  other: 2,
  total: 43 + failure,
  dailyStats: [{ date: '2026-11-26', value: 12 }],
});
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
        inboundMessages: [channel('Direct inbound', 'Ok', 0)],
        outboundMessages: [channel('Fax outbound', 'Error', 3)],
        results: [channel('Delivered', 'Warn', 0)],
        disk: { isFull: false },
        listeners: [],
        pools: [],
        auditFindings: [],
        concessions: [],
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
  const router = renderScreen(ui);
  await screen.findByText('Work is waiting');
  return router;
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

test('each channel is shown by direction with its counts, its state and its days, and its failures lead to the workflows (ADB-S-026, ADB-S-027, ADB-S-028)', async () => {
  await draw(<MessagingDashboard />);
  const row = async (name: string) => [...(await screen.findByRole('rowheader', { name })).closest('tr')!.cells].map((c) => c.textContent);
  expect(await row('Direct inbound')).toEqual(['Direct inbound', 'OK', '41', '0', '2', '43', '']);
  expect(await row('Fax outbound')).toEqual(['Fax outbound', 'Error', '41', '3', '2', '46', '']);
  expect(await row('Delivered')).toEqual(['Delivered', 'Warn', '41', '0', '2', '43', '']);
  expect(screen.getAllByRole('rowheader', { name: /^(Inbound|Outbound|Results)$/ }).map((head) => head.textContent)).toEqual([
    'Inbound',
    'Outbound',
    'Results',
  ]);
  expect(screen.getAllByRole('img', { name: '2026-11-26: 12' })).toHaveLength(3);
  expect(screen.getByRole('link', { name: '3' })).toHaveAttribute(
    'href',
    '/admin/dashboard/messaging/workflows?status=Failed&type=release&channel=Fax',
  );
});

test('an alert says since when, what is wrong and how bad it is (ADB-S-029, ADB-R-198)', async () => {
  await draw(<Alerts />);
  const line = screen.getByRole('listitem');
  for (const text of ['Work is waiting', 'Triggered', 'Nov 26, 2026', 'Look at the nodes.']) expect(line).toHaveTextContent(text);
  expect(line.querySelector('.t-danger')).toHaveTextContent('Triggered');
});

test('from the health of messaging the workflows open', async () => {
  const router = await draw(<MessagingDashboard />);
  await userEvent.click(screen.getByRole('button', { name: 'Open workflows' }));
  await vi.waitFor(() => expect(router.state.location.pathname).toBe('/admin/dashboard/messaging/workflows'));
});
