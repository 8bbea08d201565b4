import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { setToken } from '@/api/token';
import type { CapturedCall } from '@/api/types';
import { dialog, fill, press } from '@/test/acts';
import { type Asked, answer } from '@/test/answers';
import { renderScreen } from '@/test/render';
import { ApiCapturePage } from './ApiCapturePage';

const CALLS = '/api/diagnostics/apicapture';
const call = (body?: string) =>
  ({
    id: 'c-1',
    userId: 'u-1',
    userName: 'sam@carepost.example',
    tokenHash: 'h',
    date: '2026-11-20T15:04:05Z',
    userIdSourceType: 'User',
    milliseconds: 12,
    value: {
      tenantid: 't-1',
      request: { method: 'GET', url: '/api/features', headers: { accept: 'text/plain' } },
      response: { status: 200, headers: { 'content-type': 'application/json' }, body },
    },
  }) as unknown as CapturedCall;

let listed: Asked<unknown>[];
beforeEach(() => {
  setToken({ accessToken: 't', expiresIn: 900 });
  listed = answer('get', CALLS, { items: [call()], totalCount: 1, totalIsCapped: false } as never);
});
afterEach(() => void vi.useRealTimers());

test('calls of today are listed, 20 a page and the newest first (ADB-S-033, ADB-R-216, ADB-R-224)', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date(2026, 10, 21, 15, 30) });
  renderScreen(<ApiCapturePage />);
  expect((await screen.findByLabelText<HTMLInputElement>('Start')).value).toMatch(/^2026-11-21T00:00/);
  expect(screen.getByLabelText<HTMLInputElement>('End').value).toMatch(/^2026-11-21T23:59:59/);
  expect(await screen.findByRole('combobox', { name: 'Rows per page' })).toHaveValue('20');
  expect(Object.fromEntries(listed[0]!.query)).toMatchObject({
    start: new Date(2026, 10, 21).toISOString(),
    sortDir: 'desc',
    pageNumber: '1',
    pageSize: '20',
  });
});

test('they are filtered 300 ms after the last key, and by whole ids alone (ADB-R-225)', async () => {
  renderScreen(<ApiCapturePage />);
  await screen.findByText('/api/features');
  vi.useFakeTimers({ shouldAdvanceTime: true });
  fireEvent.change(screen.getByLabelText('URL'), { target: { value: '/api/features' } });
  await vi.advanceTimersByTimeAsync(200);
  expect(listed).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(150);
  await waitFor(() => expect(listed.at(-1)!.query.get('search')).toBe('{"url":"/api/features"}'));
  fireEvent.change(screen.getByLabelText('Tenant ID'), { target: { value: '01935a4e' } });
  await vi.advanceTimersByTimeAsync(350);
  expect(await screen.findByText('Tenant ID: please enter the complete ID.')).toBeInTheDocument();
  expect(listed).toHaveLength(2);
});

test('a call opens with its headers, and with its bodies for whoever says why (ADB-S-034, ADB-R-219)', async () => {
  const asked = answer('post', `${CALLS}/{id}/reveal`, call('{"isEnabled":true}') as never);
  renderScreen(<ApiCapturePage />);
  await press('More about GET /api/features');
  const response = screen.getByRole('region', { name: 'Response' });
  expect(screen.getByRole('region', { name: 'Request' })).toHaveTextContent('accepttext/plain');
  expect(within(response).queryByText(/isEnabled/)).toBeNull();
  await press('Show query and bodies');
  const reason = await dialog('Show query and bodies');
  await press('Show', reason);
  expect(asked).toEqual([]);
  fill('Reason', ' Ticket 4711 ', reason);
  await press('Show', reason);
  await waitFor(() => expect(screen.getByRole('region', { name: 'Response' })).toHaveTextContent('"isEnabled": true'));
  expect(asked.map(({ body }) => body)).toEqual([{ reason: 'Ticket 4711' }]);
});
