import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse, http } from 'msw';
import { beforeEach, expect, test } from 'vitest';
import type { RunStep } from '@/api/types';
import { setToken } from '@/api/token';
import { renderApp } from '@/test/render';
import { server } from '@/test/setup';
import { EventsGrid } from './EventsGrid';
import { Steps } from './RunDetails';

beforeEach(() => setToken({ accessToken: 't', expiresIn: 900 }));

const at = '2026-11-09T10:46:02.118Z';
const step = (name: string, status: RunStep['status'], cause: string | null = null): RunStep => ({
  id: name,
  stepName: name,
  status,
  attempt: 1,
  nextTime: null,
  startTime: at,
  endTime: at,
  elapsed: '00:00:01.330',
  meta: 'Delivering',
  node: 'alder',
  error: cause,
  attempts: [
    { number: 1, node: 'alder', startTime: at, endTime: at, elapsed: '00:00:01.330', outcome: cause ? 'Failed' : 'Completed', cause },
  ],
});
const run = {
  id: '0198f1aa-7a10-7000-8000-000000000041',
  type: 'MessageSendWorkflow' as const,
  steps: [step('RenderFax', 'Completed'), step('Deliver', 'Failed', 'x'.repeat(300))],
};

test('a step that is run again says so at once, and is as it was when that is refused (ADB-R-173, ADB-R-254, ADB-T-049, ADB-T-050)', async () => {
  let asked: unknown;
  let answer = () => {};
  const held = new Promise<void>((resolve) => (answer = resolve));
  server.use(
    http.put('*/api/workflows/:id', async ({ request }) => {
      asked = await request.json();
      await held;
      return HttpResponse.json({ message: 'The step is running.' }, { status: 409 });
    }),
  );
  renderApp(<Steps run={run} canManage />);
  expect(screen.queryByRole('button', { name: 'Retry Render the fax' })).toBeNull();
  expect(screen.getByText(/^x{200} \.\.\.$/)).toBeInTheDocument();
  await userEvent.click(screen.getByRole('button', { name: 'Retry Deliver' }));
  expect(screen.getAllByText('Retry')).toHaveLength(2);
  await waitFor(() => expect(asked).toEqual({ type: 'MessageSendWorkflow', retryStep: 'Deliver', id: run.id }));
  answer();
  await waitFor(() => expect(screen.getAllByText('Retry')).toHaveLength(1));
  expect(screen.getAllByText('Failed')).toHaveLength(2);
});

test('who only reads reports runs nothing again', () => {
  renderApp(<Steps run={run} canManage={false} />);
  expect(screen.getAllByText('Attempt 1')).toHaveLength(2);
  expect(screen.queryByRole('button', { name: /Retry/ })).toBeNull();
});

test('the events of a message are asked for at the address of the page, like every call (ADB-R-195)', async () => {
  let url = '';
  server.use(
    http.get('*/odata/eventmessages', ({ request }) => {
      url = request.url;
      return HttpResponse.json({ value: [], '@odata.count': 0 });
    }),
  );
  renderApp(<EventsGrid mailMessageId={7} />);
  expect(await screen.findByText('The message has no events yet.')).toBeInTheDocument();
  expect(new URL(url).origin).toBe(location.origin);
  expect(new URL(url).searchParams.get('$filter')).toBe('MailMessageId eq 7');
});
