import { HttpResponse, http } from 'msw';
import { beforeEach, expect, test } from 'vitest';
import { setToken } from '@/api/token';
import { server } from '@/test/setup';
import { queryOf } from '@/api/query';
import { queryClient } from '@/app/session';
import { recentEventsQuery } from '@/domain/messaging/api';
import { saveDraft, sendMessage } from './api';

let sent: { path: string; body: unknown; key: string | null }[] = [];
beforeEach(() => {
  sent = [];
  setToken({ accessToken: 't', expiresIn: 900 });
  server.use(
    http.post('*/api/messages/:id/:action', async ({ request }) => {
      const key = request.headers.get('idempotency-key');
      sent.push({ path: new URL(request.url).pathname, body: await request.json(), key });
      return HttpResponse.json({ id: 'm' });
    }),
  );
});

test('a message goes out by the action that it was begun as (SES-R-220)', async () => {
  for (const action of ['forward', 'reply'] as const) await sendMessage(action, 'm', {}, 'k');
  expect(sent.map((s) => s.path)).toEqual(['/api/messages/m/forward', '/api/messages/m/reply']);
});

test('a message of no other kind is sent, with all that it says (SES-R-218, SES-R-221)', async () => {
  await sendMessage('send', 'm', { subject: 'Right knee' }, 'k');
  expect(sent).toEqual([{ path: '/api/messages/m/send', body: { subject: 'Right knee', isHeld: true }, key: 'k' }]);
});

test('what people did is read anew once a message is sent or a draft is changed (MSG-R-400)', async () => {
  server.use(http.put('*/api/messages/:id', () => HttpResponse.json({ id: 'm' })));
  const lists = [queryOf('get', '/api/users/{id}/events', { params: { path: { id: 'u' } } }).queryKey, recentEventsQuery.queryKey];
  for (const act of [() => sendMessage('send', 'm', {}, 'k'), () => saveDraft('m', {})]) {
    for (const key of lists) queryClient.setQueryData(key, []);
    await act();
    expect(lists.map((key) => queryClient.getQueryState(key)?.isInvalidated)).toEqual([true, true]);
  }
});
