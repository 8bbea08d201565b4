import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse, http } from 'msw';
import { expect, test } from 'vitest';
import { setToken } from '@/api/token';
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
