import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse, http } from 'msw';
import { beforeEach, describe, expect, test } from 'vitest';
import { setToken } from '@/api/token';
import { dialog, fill, press } from '@/test/acts';
import { type Asked, answer } from '@/test/answers';
import { renderScreen } from '@/test/render';
import { server } from '@/test/setup';
import { MessagesPage } from './MessagesPage';

test('behind the last page that is counted, messages are reached by their numbers', async () => {
  setToken({ accessToken: 't', expiresIn: 900 });
  const asked: (string | null)[][] = [];
  server.use(
    http.get('*/odata/mailmessages', ({ request }) => {
      const query = new URL(request.url).searchParams;
      asked.push([query.get('$filter'), query.get('$skip')]);
      const first = asked.length === 1 ? 90_000 : 80_000;
      const value = Array.from({ length: 20 }, (_, n) => ({
        MailMessageId: first - n,
        Sender: 's',
        MailTo: 't',
        Origin: 'Release',
        Status: 1,
        IsDraft: false,
      }));
      return HttpResponse.json({ value, '@odata.count': 10_000 });
    }),
  );
  const router = renderScreen(<MessagesPage />, '/?page=500');
  await userEvent.click(await screen.findByRole('button', { name: 'Next page' }));
  await expect
    .poll(() => asked)
    .toEqual([
      ['IsDraft eq false', '9980'],
      ['IsDraft eq false and MailMessageId lt 89981', '0'],
    ]);
  expect(router.state.location.search).toMatchObject({ page: 501 });
});

test('the messages have pages of 10, 20, 50 or 100, and the tables within a message of 5 (ADB-R-154, ADB-R-163)', async () => {
  setToken({ accessToken: 't', expiresIn: 900 });
  const message = { MailMessageId: 7, MessageId: 'm7', Sender: 's', MailTo: 't', Origin: 'Release', Status: 1, IsDraft: false };
  const file = (n: number) => ({ MailAttachmentId: n, MimeType: `application/x${n}`, Size: n, PreviewAvailable: true });
  const conversion = (n: number) => ({
    Date: `2026-11-09T10:00:0${n}Z`,
    DocumentExtension: 'pdf',
    DocumentSize: n,
    ProcessTime: '00:00:01',
  });
  const event = (n: number) => ({ Origin: 'Release', EventType: `Event ${n}`, CreatedDate: `2026-11-09T10:00:0${n}Z` });
  const pageOf = (make: (n: number) => object) => ({ value: [1, 2, 3, 4, 5].map(make), '@odata.count': 7 }) as never;
  const asked = answer('get', '/odata/mailmessages', { value: [message], '@odata.count': 300 } as never);
  server.use(http.get(/MailAttachments/, () => HttpResponse.json({ value: [1, 2, 3, 4, 5, 6, 7].map(file) })));
  const conversions = answer('get', '/odata/conversionperformance', pageOf(conversion));
  const events = answer('get', '/odata/eventmessages', pageOf(event));
  renderScreen(<MessagesPage />, '/');
  const sizes = await screen.findByRole('combobox', { name: 'Rows per page' });
  expect(Array.from(sizes.querySelectorAll('option'), (o) => o.value)).toEqual(['10', '20', '50', '100']);
  await userEvent.selectOptions(sizes, '50');
  await expect.poll(() => asked.map((a) => a.query.get('$top'))).toEqual(['20', '50']);

  await userEvent.click(await screen.findByRole('button', { name: 'Expand all' }));
  const next = async (name: string) => userEvent.click(await screen.findByRole('button', { name: `Page 2 of ${name}` }));
  await userEvent.click(await screen.findByRole('tab', { name: 'Attachments' }));
  const files = await screen.findByRole('table', { name: 'Attachments' });
  expect(within(files).getAllByText(/^application\/x/)).toHaveLength(5);
  await userEvent.click(within(files).getAllByText('Document Conversion')[0]!);
  await next('document conversion');
  await expect.poll(() => conversions.map((a) => [a.query.get('$top'), a.query.get('$skip')].join())).toEqual(['5,0', '5,5']);
  await next('attachments');
  expect(within(files).getAllByText(/^application\/x/)).toHaveLength(2);
  await userEvent.click(screen.getByRole('tab', { name: 'Events' }));
  await next('events');
  await expect.poll(() => events.map((a) => [a.query.get('$top'), a.query.get('$skip')].join())).toEqual(['5,0', '5,5']);
});

describe('the messages of all organizations', () => {
  const row = (n: number) => ({
    MailMessageId: n,
    MessageId: `m-${n}`,
    OrganizationId: 'o',
    Sender: 'front@larkfield.example',
    MailTo: 'lab@summit.example',
    Origin: 'Release',
    WorkflowId: 'w-1',
    Status: 1,
    IsDraft: false,
    CreatedDate: '2026-11-20T15:04:05Z',
    SystemReceivedDate: '2026-11-20T15:04:06Z',
  });
  let listed: Asked<unknown>[];
  beforeEach(() => {
    setToken({ accessToken: 't', expiresIn: 900 });
    listed = answer('get', '/odata/mailmessages', { value: [row(8), row(7)], '@odata.count': 2 } as never);
    const step = { id: 's', stepName: 'Deliver', status: 'Failed', attempt: 1, meta: 'Delivering', attempts: [] };
    answer('get', '/api/workflows/{id}', { id: 'w-1', type: 'MessageSendWorkflow', steps: [step] } as never);
    const event = { Origin: 'Release', EventType: 'Sent', CreatedDate: '2026-11-20T15:04:05Z', SystemReceivedDate: '2026-11-20T15:04:06Z' };
    answer('get', '/odata/eventmessages', { value: [event], '@odata.count': 1 } as never);
    const file = { MailAttachmentId: 9, MimeType: 'application/pdf', Size: 1024, PreviewAvailable: true };
    server.use(http.get(/MailAttachments/, () => HttpResponse.json({ value: [file] })));
    const conversion = {
      DocumentExtension: 'pdf',
      DocumentSize: 2048,
      ProcessTime: '00:00:00.330',
      SystemName: 'alder',
      Date: '2026-11-20T15:04:06Z',
    };
    answer('get', '/odata/conversionperformance', { value: [conversion], '@odata.count': 1 } as never);
  });
  const opened = () => screen.queryAllByRole('tab', { name: 'Attachments' }).length;
  const heads = (where: HTMLElement) =>
    within(where)
      .getAllByRole('columnheader')
      .map((head) => head.textContent);
  const tab = async (name: string) => {
    await userEvent.click(screen.getByRole('tab', { name }));
    return screen.findByRole('tabpanel', { name });
  };
  async function openOne() {
    renderScreen(<MessagesPage />);
    await press('More about 8');
  }

  test('are listed 20 a page, without drafts (ADB-S-017, ADB-R-150, ADB-R-153, ADB-R-155)', async () => {
    renderScreen(<MessagesPage />);
    const table = await screen.findByRole('table', { name: 'Messages' });
    const titles = ['Id', 'Sender', 'Mail to', 'Origin', 'Workflow id', 'Status', 'Draft', 'Receive date', 'Sent date'];
    await waitFor(() => expect(heads(table)).toEqual(expect.arrayContaining(titles)));
    expect([listed[0]!.query.get('$top'), listed[0]!.query.get('$filter')]).toEqual(['20', 'IsDraft eq false']);
  });

  test('open and close together by buttons and keys, and are read again (ADB-R-156, ADB-R-157, ADB-R-158, ADB-R-159, ADB-R-160, ADB-R-161)', async () => {
    renderScreen(<MessagesPage />);
    await screen.findByText('8');
    for (const [opens, closes] of [
      [() => press('Expand all'), () => press('Collapse all')],
      [() => userEvent.keyboard('+'), () => userEvent.keyboard('-')],
      [() => userEvent.keyboard('='), () => userEvent.keyboard('-')],
    ] as const) {
      await opens();
      await waitFor(() => expect(opened()).toBe(2));
      await closes();
      await waitFor(() => expect(opened()).toBe(0));
    }
    await press('Refresh');
    await waitFor(() => expect(listed).toHaveLength(2));
  });

  test('have tabs of workflow, files and events (ADB-S-018, ADB-S-021, ADB-R-162, ADB-R-166, ADB-R-179, ADB-T-031, ADB-T-032, ADB-T-033)', async () => {
    await openOne();
    expect(screen.getAllByRole('tab').map((one) => one.textContent)).toEqual(['Workflows', 'Attachments', 'Events']);
    expect(screen.getByRole('tab', { name: 'Workflows' })).toHaveAttribute('aria-selected', 'true');
    const steps = await screen.findByRole('table', { name: 'Steps of the workflow' });
    expect(heads(steps)).toEqual(['Step', 'Meta', 'Status', 'Start (UTC)', 'End (UTC)', 'Run time', 'Timeline', 'Actions']);
    expect(within(steps).getByRole('button', { name: 'Retry Deliver' })).toBeInTheDocument();
    const events = await tab('Events');
    await within(events).findByText('Sent');
    expect(heads(events)).toEqual(['Origin', 'Event', 'Date', 'Received']);
  });

  test('show the conversions of their files (ADB-S-019, ADB-S-020, ADB-R-175, ADB-R-177, ADB-T-034)', async () => {
    await openOne();
    const files = await tab('Attachments');
    await within(files).findByText('application/pdf');
    expect(heads(files)).toEqual(['Name', 'Type', 'Size', 'Preview']);
    const summary = within(files).getByText('Document Conversion');
    const details = summary.closest('details')!;
    details.open = true;
    details.dispatchEvent(new Event('toggle'));
    const grid = await within(files).findByRole('table', { name: 'Document Conversion' });
    expect(heads(grid)).toEqual(['Name', 'Extension', 'Size', 'Conversion time', 'Node', 'Date']);
    expect(grid).toHaveTextContent('pdf2 k330 msalder');
  });

  test('show subject and names of files for a reason alone', async () => {
    const asked = answer('post', '/api/admin/messages/{id}/names', { subject: 'Referral of B. H.', files: ['Visit note.pdf'] });
    await openOne();
    const files = await tab('Attachments');
    expect(await within(files).findByText('Hidden')).toBeInTheDocument();
    await press('Show names', files);
    const reason = await dialog('Show names');
    await press('Show', reason);
    expect(asked).toEqual([]);
    fill('Reason', 'Support case 20417', reason);
    await press('Show', reason);
    expect(await within(files).findByText('Visit note.pdf')).toBeInTheDocument();
    expect(within(files).getByText('Referral of B. H.')).toBeInTheDocument();
    expect([asked[0]!.path.id, asked[0]!.body]).toEqual(['m-8', { reason: 'Support case 20417' }]);
  });
});
