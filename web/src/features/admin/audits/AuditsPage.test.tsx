import { fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { setToken } from '@/api/token';
import type { AuditRecord, AuditSearch } from '@/api/types';
import { saveFile } from '@/shared/saveFile';
import { dialog, fill, press } from '@/test/acts';
import { type Asked, answer } from '@/test/answers';
import { renderScreen } from '@/test/render';
import { AuditsPage } from './AuditsPage';

vi.mock('@/shared/saveFile', async (original) => ({ ...(await original<object>()), saveFile: vi.fn() }));

const entry: AuditRecord = {
  id: 'a-1',
  createdBy: 'ops@carepost.example',
  fullName: 'Olive Park',
  eventType: 'SignedIn',
  eventData: '{"by":"password"}',
  timestamp: '2026-11-20T15:04:05Z',
  objectType: 'user',
  objectId: 'u-1',
  objectName: '',
  succeeded: false,
  sourceIp: '192.0.2.7',
};

let asked: Asked<AuditSearch>[];
beforeEach(() => {
  setToken({ accessToken: 't', expiresIn: 900 });
  asked = answer('post', '/api/admin/audits', { items: [entry], totalCount: 400, totalIsCapped: false } as never) as never;
  answer('get', '/api/admin/audits/eventtypes', { items: [{ eventType: 'SignedIn', label: 'Signed in' }] } as never);
});
afterEach(() => void vi.useRealTimers());

const open = async () => {
  renderScreen(<AuditsPage />);
  await press('More about Signed in by ops@carepost.example');
};
const type = (label: string, text: string) => fireEvent.change(screen.getByLabelText(label), { target: { value: text } });

test('entries are listed 25 a page with four page links at most, and say whether the act succeeded (ADB-S-035, ADB-R-233, ADB-R-234)', async () => {
  await open();
  expect(asked[0]!.body).toMatchObject({ pageNumber: 1, pageSize: 25 });
  expect(screen.getByRole('combobox', { name: 'Rows per page' })).toHaveValue('25');
  expect(screen.getAllByRole('button', { name: /^Page \d+$/ })).toHaveLength(4);
  expect(screen.getByText('Failed')).toBeInTheDocument();
  expect(screen.getByText('192.0.2.7')).toBeInTheDocument();
});

test('they are searched by user name and by words, 300 ms after the last key (ADB-R-229, ADB-R-231, ADB-R-232)', async () => {
  await open();
  vi.useFakeTimers({ shouldAdvanceTime: true });
  const before = asked.length;
  type('Filter the entries', 'sign');
  await vi.advanceTimersByTimeAsync(200);
  type('Filter the entries', 'signed');
  await vi.advanceTimersByTimeAsync(200);
  expect(asked).toHaveLength(before);
  await vi.advanceTimersByTimeAsync(150);
  await waitFor(() => expect(asked.at(-1)!.body.search).toBe('signed'));
  type('User name', 'ops@');
  await vi.advanceTimersByTimeAsync(350);
  await waitFor(() => expect(asked.at(-1)!.body).toMatchObject({ username: 'ops@', search: 'signed' }));
});

test('what was searched for is saved as a table that is named by its days (ADB-R-229, ADB-R-235, ADB-R-236)', async () => {
  const files = answer('post', '/api/admin/audits/csv', null as never) as Asked<AuditSearch>[];
  await open();
  fill('Start Date', '11/01/2026');
  fill('End Date', '11/20/2026');
  await press('CSV');
  await waitFor(() => expect(saveFile).toHaveBeenCalledWith(expect.anything(), 'AuditEntries_11012026-11202026.csv'));
  const days = { startDate: new Date(2026, 10, 1).toISOString(), endDate: new Date(2026, 10, 20, 23, 59, 59, 999).toISOString() };
  expect(files[0]!.body).toMatchObject(days);
  expect(asked.at(-1)!.body).toMatchObject(days);
});

test('a first day behind the last one is refused before anything is asked (ADB-R-237)', async () => {
  await open();
  fill('Start Date', '01/01/2099');
  expect(await screen.findByText('Start Date must be smaller or equal than End Date.')).toBeInTheDocument();
  expect(screen.getByRole('button', { name: 'CSV' })).toBeDisabled();
  expect(asked.some(({ body }) => body.startDate! > body.endDate!)).toBe(false);
});

test('the trail is verified part by part, and what is wrong with it is listed', async () => {
  const removed = { organizationId: null, organizationName: 'Larkfield', seq: 1100, problem: 'Removed' };
  const heads = { keptAt: null, problems: ['The newest entry is missing.'] };
  const parts = answer('post', '/api/admin/audits/verification', ({ body }) =>
    (body as { from?: object | null }).from
      ? ({ checked: 200, total: 1200, findings: [removed], next: null, heads } as never)
      : ({ checked: 1000, total: 1200, findings: [], next: { chainId: 'c', seq: 1000 }, heads: null } as never),
  );
  await open();
  await press('Verify');
  const box = await dialog('Verify the audit trail');
  await waitFor(() => expect(box).toHaveTextContent('1,200 of 1,200 entries checked.'));
  expect(parts).toHaveLength(2);
  const findings = screen.getByRole('list', { name: 'Findings' });
  expect(findings).toHaveTextContent('Entry 1,100 of Larkfield was removed.');
  expect(findings).toHaveTextContent('The newest entry is missing.');
  expect(box).not.toHaveTextContent('All entries are unchanged');
});

test('a trail in which nothing is wrong is said to be as it was written', async () => {
  answer('post', '/api/admin/audits/verification', { checked: 7, total: 7, findings: [], next: null, heads: { problems: [] } } as never);
  await open();
  await press('Verify');
  expect(await screen.findByText(/^All entries are unchanged, and none is missing\./)).toBeInTheDocument();
});
