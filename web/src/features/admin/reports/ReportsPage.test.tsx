import { notifications } from '@mantine/notifications';
import { screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { setToken } from '@/api/token';
import type { GeneratedReport } from '@/api/types';
import { saveFile } from '@/shared/saveFile';
import { fromMenu, choose, dialog, fill, press } from '@/test/acts';
import { answer } from '@/test/answers';
import { renderScreen } from '@/test/render';
import { server } from '@/test/setup';
import { GeneratedReportsPage } from './GeneratedReportsPage';
import { ReportsPage } from './ReportsPage';

vi.mock('@/shared/saveFile', async (original) => ({ ...(await original<object>()), saveFile: vi.fn() }));
const role = vi.hoisted(() => ({ name: 'SysAdmin' }));
vi.mock('@/app/session', async (original) => ({ ...(await original<object>()), useProfile: () => ({ roles: [role.name] }) }));

const REPORTS = '/api/admin/reports';
const GENERATED = '/api/admin/generated_reports';
const TYPES = ['Delivered', 'Exported', 'Forwarded', 'Replied', 'Deleted', 'Bounced', 'Failed', 'Processed', 'Received'];
const DATES_ERROR = 'Start Date must be smaller or equal than End Date.';

beforeEach(() => {
  setToken({ accessToken: 't', expiresIn: 900 });
  notifications.clean();
  vi.mocked(saveFile).mockClear();
  role.name = 'SysAdmin';
  vi.useFakeTimers({ toFake: ['Date'], now: new Date(2026, 10, 21, 15, 30) });
});
afterEach(() => void vi.useRealTimers());

/** Brand, kind and time (MSG-R-469). */
const savedAs = (kind: string) =>
  waitFor(() => expect(saveFile).toHaveBeenCalledWith(expect.anything(), expect.stringMatching(`^Carepost_${kind}_\\d{8}T\\d{6}Z\\.csv$`)));
/** The names of the reports on the page. */
const tiles = () => screen.getAllByRole('listitem').map((item) => item.querySelector('.cp-strong')?.textContent);
const ALL =
  'Devices,Direct Addresses,Organizations,Users,Messages,Unassigned Addresses,Intake Rules,Download Profiles,Download Contacts Statistics'.split(
    ',',
  );

test('operators have ten tiles, the first of which leads to the reports made in the background (ADA-R-049, ADA-R-113, ADA-T-047)', async () => {
  renderScreen(<ReportsPage />);
  const link = await screen.findByRole('link', { name: /^Generated Reports/ });
  expect(link).toHaveAttribute('href', '/admin/generatedreports');
  expect(tiles()).toEqual(['Generated Reports', ...ALL]);
});

test('who only reads reports has the other nine (ADA-R-113)', async () => {
  role.name = 'SysAdminReporting';
  renderScreen(<ReportsPage />);
  await screen.findByRole('button', { name: /^Devices/ });
  expect(tiles()).toEqual(ALL);
});

test('reports about everything are saved at once (ADA-C-045, ADA-C-046, ADA-C-048)', async () => {
  const asked = [
    answer('get', `${REPORTS}/directaddresses`, null),
    answer('get', `${REPORTS}/organizations`, null),
    answer('get', `${REPORTS}/users`, null),
    answer('get', `${REPORTS}/contacts-usage-statistics`, null),
  ];
  renderScreen(<ReportsPage />);
  for (const [name, file] of [
    ['Direct Addresses', 'direct-addresses'],
    ['Organizations', 'organizations'],
    ['Users', 'users'],
    ['Download Contacts Statistics', 'contacts-statistics'],
  ] as const) {
    await press(new RegExp(`^${name}`));
    await savedAs(file);
    expect(await screen.findByText(`The report ${name} was saved.`)).toBeInTheDocument();
  }
  expect(asked.map((a) => a.length)).toEqual([1, 1, 1, 1]);
});

test('messages are asked for by days and page, from last month to today (ADA-S-034, ADA-C-050, ADA-R-115, ADA-R-126, ADA-R-127)', async () => {
  const asked = answer('get', `${REPORTS}/events`, null);
  renderScreen(<ReportsPage />);
  await press(/^Messages/);
  const box = await dialog('Messages');
  fill('Page Number', '1234', box);
  await press('Download', box);
  await savedAs('messages');
  expect(Object.fromEntries(asked[0]!.query)).toEqual({
    start: new Date(2026, 9, 21).toISOString(),
    end: new Date(2026, 10, 21, 23, 59, 59, 999).toISOString(),
    pageSize: '10000',
    pageNumber: '12',
    eventTypes: TYPES.join(','),
  });
});

test('dates and page of the messages report must be possible (ADA-R-122, ADA-R-123, ADA-R-124)', async () => {
  renderScreen(<ReportsPage />);
  await press(/^Messages/);
  const box = await dialog('Messages');
  fill('Page Number', '', box);
  await press('Download', box);
  expect(await screen.findByText('Please enter a valid value for this field.')).toBeInTheDocument();
  expect(screen.queryByText(DATES_ERROR)).toBeNull();
  fill('Start Date', '12/31/2099', box);
  fill('Page Number', '123', box);
  expect(screen.getByRole('textbox', { name: 'Page Number' })).toHaveValue('12');
  await press('Download', box);
  expect(await screen.findByText(DATES_ERROR)).toBeInTheDocument();
  expect(screen.getByText('There are invalid fields on this page.')).toBeInTheDocument();
});

test('devices are asked for by days that can be (ADA-S-033, ADA-C-049, ADA-R-114, ADA-R-122, ADA-R-129, ADA-T-048)', async () => {
  const asked = answer('get', `${REPORTS}/devices`, null);
  renderScreen(<ReportsPage />);
  await press(/^Devices/);
  const box = await dialog('Devices');
  fill('Start Date', '12/31/2099', box);
  await press('Download', box);
  expect(await screen.findByText(DATES_ERROR)).toBeInTheDocument();
  expect(screen.getByText('There are invalid fields on this page.')).toBeInTheDocument();
  fill('Start Date', '11/20/2026', box);
  await press('Download', box);
  await savedAs('devices');
  expect(Object.fromEntries(asked[0]!.query)).toEqual({
    startDate: new Date(2026, 10, 20).toISOString(),
    endDate: new Date(2026, 10, 21, 23, 59, 59, 999).toISOString(),
  });
});

test.each([
  ['Unassigned Addresses (ADA-C-051, ADA-S-035)', `${REPORTS}/addresses/unassigned`, 'unassigned-addresses'],
  ['Intake Rules (ADA-C-052, ADA-S-036, ADA-T-054)', `${REPORTS}/intakerules`, 'intake-rules'],
  ['Download Profiles (ADA-C-053, ADA-S-037, ADA-T-055)', `${REPORTS}/downloadprofiles`, 'download-profiles'],
] as const)('%s: the organizations are chosen, and their ids asked for as a table (ADA-R-116, ADA-R-131)', async (title, path, file) => {
  const name = title.split(' (')[0]!;
  const asked = answer('post', path, null);
  answer('get', `${REPORTS}/organizationchoices`, { items: [{ id: 'o-1', name: 'Larkfield Family Medicine' }] });
  const accepted: (string | null)[] = [];
  const note = ({ request }: { request: Request }) => request.url.endsWith(path) && accepted.push(request.headers.get('accept'));
  server.events.on('request:start', note);
  renderScreen(<ReportsPage />);
  await press(new RegExp(`^${name}`));
  const box = await dialog(name);
  await press('Download', box);
  expect(await screen.findByText('Please choose an organization.')).toBeInTheDocument();
  await choose('Organizations', 'Larkfield Family Medicine', box);
  await press('Download', box);
  await savedAs(file);
  server.events.removeListener('request:start', note);
  expect(asked.map(({ body }) => body)).toEqual([['o-1']]);
  expect(accepted).toEqual(['text/csv']);
});

const report: GeneratedReport = {
  id: 'r',
  name: 'Messages',
  report: 'Messages',
  fileName: 'messages-2026-11-20.csv',
  sizeBytes: 2048,
  state: 'Ready',
  start: null,
  end: null,
  createDate: '2026-11-20T15:04:05Z',
  expirationDate: '2026-11-27T15:04:05Z',
  requestedBy: 'ops@carepost.example',
} as never;

test('reports made in the background are listed ten a page by day, and a file is saved under its name (ADB-S-003, ADB-R-030, ADB-R-031, ADB-R-032, ADB-R-033, ADB-R-034)', async () => {
  const listed = answer('get', GENERATED, { items: [report], totalCount: 1, totalIsCapped: false });
  const file = answer('get', `${GENERATED}/{id}`, null as never);
  renderScreen(<GeneratedReportsPage />);
  await press(report.fileName);
  await savedAs('messages-2026-11-20');
  expect(file[0]!.path).toMatchObject({ id: 'r' });
  expect(listed[0]!.query.get('pageSize')).toBe('10');
  for (const head of ['Report', 'File', 'Created']) expect(screen.getByRole('columnheader', { name: head })).toBeInTheDocument();
  expect(screen.getByRole('row', { name: /^Messages / })).toHaveTextContent('messages-2026-11-20.csvNov 20, 2026');
  const sizes = screen.getByRole('combobox', { name: 'Rows per page' });
  expect([...sizes.querySelectorAll('option')].map((option) => option.textContent)).toEqual(['10', '25', '50', '100']);
});

test('a report is asked for with its days where it has some, and deleted after a question', async () => {
  answer('get', GENERATED, { items: [report], totalCount: 1, totalIsCapped: false });
  const asked = answer('post', GENERATED, report as never);
  const removed = answer('delete', `${GENERATED}/{id}`, null as never);
  renderScreen(<GeneratedReportsPage />);
  await press('Generate');
  const box = await dialog('Generate report');
  expect(screen.queryByRole('textbox', { name: 'Start Date' })).toBeNull();
  await choose('Report', 'Messages', box);
  fill('Start Date', '11/20/2026', box);
  await press('Generate', box);
  expect(await screen.findByText('The report is being created. It appears here when it is ready.')).toBeInTheDocument();
  expect(asked[0]!.body).toEqual({
    report: 'Messages',
    start: new Date(2026, 10, 20).toISOString(),
    end: new Date(2026, 10, 21, 23, 59, 59, 999).toISOString(),
  });
  await fromMenu('Messages', 'Delete');
  await press('Delete', await dialog('Delete report'));
  expect(await screen.findByText('The report was deleted.')).toBeInTheDocument();
  expect(removed[0]!.path).toMatchObject({ id: 'r' });
});
