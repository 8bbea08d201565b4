import { act, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse, http } from 'msw';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { setToken } from '@/api/token';
import { publishEvent } from '@/shared/hubs';
import { renderScreen } from '@/test/render';
import { server } from '@/test/setup';
import { Notices } from './Notices';

let toSign: number;
/** The number of counts of documents to sign. */
let counted: number;
const shown: string[] = [];

class Desktop {
  static permission = 'default';
  static requestPermission = vi.fn(async () => (Desktop.permission = 'granted'));
  constructor(_title: string, { body }: NotificationOptions) {
    shown.push(body!);
  }
}

beforeEach(() => {
  toSign = 1;
  counted = 0;
  shown.length = 0;
  setToken({ accessToken: 't', expiresIn: 900 });
  vi.stubGlobal('Notification', Desktop);
  vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden');
  const quickViews = { unread: 0, assignedToSelf: 0, urgent: 0 };
  server.use(
    http.get('*/api/messages/signatures', () => {
      counted++;
      return HttpResponse.json({ items: [], totalCount: toSign });
    }),
    http.all('*/api/*', () => HttpResponse.json({ quickViews, items: [], totalCount: 0, mentionCount: 1, mentionedIn: 'm7' })),
  );
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

/** An event: the counts are fetched again. */
async function happens(total: number) {
  toSign = total;
  const before = counted;
  act(() => publishEvent({ type: 'intake' }));
  await waitFor(() => expect(counted).toBe(before + 1), { timeout: 3_000 });
}

test('notices on the desktop are asked for on demand alone, and each news is told once', async () => {
  renderScreen(<Notices />);
  await userEvent.click(await screen.findByRole('button', { name: 'Notices, something is new' }));
  expect(await screen.findByText('To sign')).toBeInTheDocument();
  expect(screen.getByRole('link', { name: /^Notes that name you/ })).toHaveAttribute('href', '/intake/m7');
  await happens(2);
  expect(await screen.findByText('2')).toBeInTheDocument();
  expect(Desktop.requestPermission).not.toHaveBeenCalled();
  expect(shown).toEqual([]);

  await userEvent.click(screen.getByRole('checkbox', { name: 'Desktop notifications' }));
  await waitFor(() => expect(screen.getByRole('checkbox', { name: 'Desktop notifications' })).toBeChecked());
  expect(Desktop.requestPermission).toHaveBeenCalledOnce();
  await happens(3);
  await waitFor(() => expect(shown).toEqual(['A document waits for your signature']));
  await happens(3);
  await happens(5);
  await waitFor(() => expect(shown).toEqual(['A document waits for your signature', '2 documents wait for your signature']));
});
