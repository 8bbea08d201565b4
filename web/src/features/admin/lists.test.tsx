import { act, fireEvent, screen, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import type { ComponentType } from 'react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { setToken } from '@/api/token';
import { renderScreen } from '@/test/render';
import { server } from '@/test/setup';
import { ApiCapturePage } from './apicapture/ApiCapturePage';
import { AuditsPage } from './audits/AuditsPage';
import { FeaturesPage } from './features/FeaturesPage';
import { WhitelistTab } from './integrations/WhitelistTab';
import { LicencesPage } from './licences/LicencesPage';
import { SpecialtiesPage } from './lists/SpecialtiesPage';
import { MessagesPage } from './messages/MessagesPage';
import { RoutingRulesPage } from './routing/RoutingRulesPage';
import { RunsPage } from './runs/RunsPage';

vi.mock('@/app/session', async (original) => ({ ...(await original<object>()), useHasRole: () => true }));

/** A row of any of these lists. */
const row = {
  id: 'a',
  Id: 'a',
  type: 'MessageSendWorkflow',
  status: 'Failed',
  createdTime: '2026-11-26T08:00:00Z',
  channel: 'Direct',
  steps: [],
  MailMessageId: 7,
  Sender: 's',
  MailTo: 't',
  Origin: 'Release',
  Status: 1,
  IsDraft: false,
  LicenseKey: 'k',
  LicenseType: 'l',
  Organization: 'o',
  ConnectorName: 'c',
  ExpirationDate: '2099-01-02T00:00:00Z',
  date: '2026-11-26T08:00:00Z',
  userName: 'dana',
  milliseconds: 5,
  value: { tenantid: 't', request: { method: 'GET', url: '/api' }, response: { status: 200 } },
};
/** The request with its body. */
let asked: string[];
let answer: object;

beforeEach(() => {
  asked = [];
  answer = { items: [], Items: [], routingRules: [], totalCount: 0, Count: 0, totalRulesCount: 0 };
  setToken({ accessToken: 't', expiresIn: 900 });
  server.use(
    http.all(/\/(api|odata)\//, async ({ request }) => {
      asked.push(`${decodeURIComponent(request.url)} ${await request.text()}`);
      return HttpResponse.json({ ...answer, totalIsCapped: false });
    }),
  );
});
afterEach(() => void vi.useRealTimers());

test.each([
  ['specialties (ADB-R-243)', SpecialtiesPage],
  ['features', FeaturesPage],
  ['routing rules (ADB-R-083)', RoutingRulesPage],
  ['licences', LicencesPage],
  ['the whitelist', WhitelistTab],
  ['audits', AuditsPage],
  ['captured calls', ApiCapturePage],
])('each search box of %s waits 300 ms after the last key (ADB-S-009, ADB-R-251)', async (_screen, Page: ComponentType) => {
  renderScreen(<Page />);
  const boxes = await screen.findAllByRole('searchbox');
  vi.useFakeTimers({ shouldAdvanceTime: true });
  for (const [n, box] of boxes.entries()) {
    const word = `0198f1aa-7a10-7000-8000-00000000000${n}`;
    const isAsked = () => asked.some((call) => call.includes(word));
    fireEvent.change(box, { target: { value: word } });
    await act(() => vi.advanceTimersByTimeAsync(200));
    expect(isAsked()).toBe(false);
    await act(() => vi.advanceTimersByTimeAsync(150));
    await vi.waitFor(() => expect(isAsked()).toBe(true));
    fireEvent.change(box, { target: { value: '' } });
    await act(() => vi.advanceTimersByTimeAsync(350));
  }
});

test.each([
  ['workflows', RunsPage, /pageSize=20/],
  ['messages', MessagesPage, /\$top=20/],
  ['licences', LicencesPage, /\$top=20/],
  ['captured calls', ApiCapturePage, /pageSize=20/],
])('the grid of %s begins with 20 rows, of 10, 20, 50 or 100 (ADB-R-253)', async (_grid, Page: ComponentType, size) => {
  answer = { items: [row], Items: [row], value: [row], totalCount: 300, Count: 300, '@odata.count': 300 };
  renderScreen(<Page />);
  const sizes = within(await screen.findByRole('combobox', { name: 'Rows per page' })).getAllByRole('option');
  expect(sizes.map((o) => o.textContent)).toEqual(['10', '20', '50', '100']);
  expect(asked.some((call) => size.test(call))).toBe(true);
});
