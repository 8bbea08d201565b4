import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse, http } from 'msw';
import { expect, test, vi } from 'vitest';
import { setToken } from '@/api/token';
import { press } from '@/test/acts';
import { answer } from '@/test/answers';
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

test('workflows are filtered, 20 a page, and one opens with its steps, message, files and five events a page (ADB-S-022, ADB-S-023, ADB-S-024, ADB-S-025, ADB-R-181, ADB-R-190)', async () => {
  setToken({ accessToken: 't', expiresIn: 900 });
  const file = { mailAttachmentId: 9, mimeType: 'application/pdf', size: 1024, previewStatus: 'Available', hasPdfContent: true };
  const mailMessage = { mailMessageId: 7, sender: 'front@larkfield.example', mailTo: 'lab@summit.example', origin: 'Release' };
  const times = { startTime: '2026-11-09T10:46:02.118Z', endTime: '2026-11-09T10:46:03.448Z', elapsed: '00:00:01.330' };
  const steps = [{ id: 's', stepName: 'Deliver', status: 'Completed', attempt: 1, meta: 'Delivered', attempts: [], ...times }];
  const whole = {
    ...run(1),
    organizationName: 'Larkfield',
    workflowId: 'w-1',
    correlationId: 'c-1',
    steps,
    mailMessage: { ...mailMessage, attachmentEvents: [file] },
  };
  const listed = answer('get', '/api/diagnostics/messaging/workflows', { items: [whole], totalCount: 1, totalIsCapped: false } as never);
  answer('get', '/api/workflows/{id}', whole as never);
  const event = (n: number) => ({
    Origin: 'Release',
    EventType: `Event${n}`,
    CreatedDate: `2026-11-09T10:46:0${n}Z`,
    SystemReceivedDate: '',
  });
  const events = answer('get', '/odata/eventmessages', { value: [1, 2, 3, 4, 5].map(event), '@odata.count': 12 } as never);
  renderScreen(<RunsPage />, '/?status=Completed&type=release&channel=Direct');
  await press('More about Larkfield');
  expect(Object.fromEntries(listed[0]!.query)).toEqual({
    status: 'Completed',
    type: 'release',
    channel: 'Direct',
    pageNumber: '1',
    pageSize: '20',
  });
  const part = (name: string) => screen.findByRole('region', { name });
  const step = within(await screen.findByRole('table', { name: 'Steps of the workflow' })).getByRole('rowheader', { name: 'Deliver' });
  for (const text of ['Delivered', 'Completed', 'Nov 9, 10:46:02', 'Nov 9, 10:46:03', '1.3 s'])
    expect(step.closest('tr')).toHaveTextContent(text);
  for (const text of ['w-1', 'front@larkfield.example', 'lab@summit.example']) expect(await part('Message')).toHaveTextContent(text);
  expect(await part('Attachment events')).toHaveTextContent('9: application/pdf, 1 k, preview Available, with PDF');
  expect(within(await part('Events')).getAllByRole('row')).toHaveLength(6);
  expect([events[0]!.query.get('$filter'), events[0]!.query.get('$top')]).toEqual(['MailMessageId eq 7', '5']);
  await press('Page 2 of events');
  await expect.poll(() => events.at(-1)!.query.get('$skip')).toBe('5');
});
