import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { setToken } from '@/api/token';
import type { IntakeItem, IntakeRequest } from '@/api/types';
import { answer, refusal } from '@/test/answers';
import { besidesTheList, person, row } from '@/test/intake';
import { renderScreen } from '@/test/render';
import { IntakePage } from './IntakePage';

const session = vi.hoisted(() => ({ features: ['OptimizedIntake'] }));
vi.mock('@/app/session', () => ({ useProfile: () => person(), useFeature: (name: string) => session.features.includes(name) }));
const viewport = vi.hoisted(() => ({ isPhone: false, isNarrow: false, isMedium: false }));
vi.mock('@/shared/useViewport', () => ({ useViewport: () => viewport }));

/** The Intake of a server with these messages, and the requests to it. */
function open(rows: IntakeItem[], address = '/intake') {
  const listed = ({ body }: { body: IntakeRequest }) => {
    const { pageStart = 1, pageSize = 10 } = body;
    const items = rows.slice((pageStart! - 1) * pageSize!, pageStart! * pageSize!);
    return { items, totalCount: rows.length, totalIsCapped: false };
  };
  const asked = answer('post', '/api/intake', listed);
  const askedPlainly = answer('post', '/api/messages', listed);
  const router = renderScreen(<IntakePage />, address);
  return { asked, askedPlainly, router };
}
const many = (count: number) => Array.from({ length: count }, (_, i) => row({ id: `m${i}`, subject: `Message ${i}`, isRead: false }));
const click = async (name: string | RegExp, of: 'button' | 'menuitem' | 'checkbox' | 'columnheader' = 'button') =>
  userEvent.click((await screen.findAllByRole(of, { name }))[0]!);
const shown = (subject: string) => screen.findByText(subject, { selector: 'a' });
const openFilter = async (name: string) => userEvent.click(await screen.findByText(name, { selector: '.cp-filter-open' }));

beforeEach(() => {
  setToken({ accessToken: 'a', expiresIn: 900 });
  session.features = ['OptimizedIntake'];
  viewport.isPhone = false;
  besidesTheList();
});
afterEach(() => vi.useRealTimers());

test('a row shows sender, subject cut at 80 characters, patient, status and date, and whether it is unread and recent (MSG-S-006, MSG-R-462, MSG-R-254)', async () => {
  vi.setSystemTime(new Date(2026, 10, 20, 12));
  const subject = `Results ${'of the laboratory '.repeat(6)}`.trim();
  const received = new Date(2026, 10, 20, 11, 5).toISOString();
  open([
    row({ subject, patientName: 'Tenney, Ruth', createdDate: received, isRead: false, recent: true }),
    row({ id: 'b', subject: 'Read before', status: 'Processed', isUrgent: true }),
  ]);
  const unread = (await shown(`${subject.slice(0, 80).trimEnd()} ...`)).closest('tr')!;
  for (const text of ['Summit Orthopedics', 'Tenney, Ruth', 'Received', 'Today at 11:05 AM']) expect(unread).toHaveTextContent(text);
  expect(unread).toHaveAttribute('data-unread', 'true');
  expect(within(unread).getByTitle('Received within the last hour')).toBeInTheDocument();
  const read = (await shown('Read before')).closest('tr')!;
  expect(read).toHaveTextContent('Processed');
  expect(read).toHaveTextContent('No patient yet');
  expect(within(read).getByTitle('Urgent')).toBeInTheDocument();
  expect(read).not.toHaveAttribute('data-unread');
  expect(within(read).queryByTitle('Received within the last hour')).toBeNull();
});

test('a subject is a link, which a click with Ctrl leaves to the browser and its new tab', async () => {
  const { router } = open([row()]);
  const link = await shown('Results');
  expect(link).toHaveAttribute('href', '/intake/a');
  // Events that the app leaves to the browser arrive here; jsdom has no tabs.
  window.addEventListener('click', (e) => e.preventDefault(), { once: true });
  fireEvent.click(link, { ctrlKey: true });
  expect(router.state.location.pathname).toBe('/intake');
  fireEvent.click(link);
  await waitFor(() => expect(router.state.location.pathname).toBe('/intake/a'));
});

test('the list asks for the last 30 days, the newest first, with POST /api/intake (MSG-R-453, MSG-R-382)', async () => {
  vi.setSystemTime(new Date(2026, 10, 20, 12));
  const { asked, askedPlainly } = open([row()]);
  await shown('Results');
  expect(asked[0]!.body).toMatchObject({
    startDate: new Date(2026, 9, 21).toISOString(),
    pageStart: 1,
    pageSize: 10,
    orderBy: 'createdDate',
    orderDir: 'desc',
    isAll: true,
  });
  expect(askedPlainly).toEqual([]);
  expect(screen.getByRole('columnheader', { name: 'Received' })).toHaveAttribute('aria-sort', 'descending');
});

test('without the feature the list is asked for with POST /api/messages (MSG-R-382)', async () => {
  session.features = [];
  const { asked, askedPlainly } = open([row()]);
  await shown('Results');
  expect(askedPlainly[0]!.body).toMatchObject({ pageStart: 1, isAll: true });
  expect(asked).toEqual([]);
});

test('filters become the request: dates, status, source, own address, kind of processing and quick views (MSG-S-058, MSG-R-471)', async () => {
  vi.setSystemTime(new Date(2026, 10, 20, 12));
  const own = 'records@larkfield.direct.example';
  answer('get', '/api/documentsources/release', { items: [{ fullAddress: own, displayName: 'Medical records', status: 1 }] } as never);
  const { asked, router } = open([row()]);
  await shown('Results');
  const asks = (wanted: Partial<IntakeRequest>) => waitFor(() => expect(asked.at(-1)?.body).toMatchObject(wanted));
  await openFilter('Received');
  await click('Last 7 Days');
  await asks({ startDate: new Date(2026, 10, 13).toISOString(), endDate: new Date(2026, 10, 20, 23, 59, 59, 999).toISOString() });
  const choose = async (filter: string, choice: string, wanted: Partial<IntakeRequest>) => {
    await openFilter(filter);
    await click(choice, 'checkbox');
    await asks(wanted);
    await userEvent.keyboard('{Escape}');
  };
  await choose('Status', 'Processed', { statuses: ['Processed'] });
  await choose('Source', 'Direct message', { sourceTypes: ['DirectMessage'] });
  await choose('To', 'Medical records', { sources: [own] });
  await choose('Processed as', 'PDF export', { processedTypes: ['PDFExport'] });
  await click('Clear filters');
  await asks({ statuses: expect.arrayContaining(['Received']) as never, sourceTypes: [], sources: [], processedTypes: [] });
  const view = (name: RegExp) => userEvent.click(within(screen.getByRole('radiogroup', { name: 'Quick views' })).getByText(name));
  await view(/Unassigned/);
  await asks({ isUnassigned: true, isAll: false });
  await view(/^Mine/);
  await asks({ isAssignedToSelf: true, isAll: false });
  await view(/^Snoozed/);
  await asks({ isSnoozed: true, isAll: false });
  expect(router.state.location.search).toMatchObject({ view: 'snoozed' });
});

test('while words are looked for, only the view in sight says how many it has', async () => {
  open(many(3));
  await shown('Message 0');
  const views = within(screen.getByRole('radiogroup', { name: 'Quick views' }));
  const names = () => views.getAllByRole('radio').map((radio) => document.querySelector(`label[for="${radio.id}"]`)?.textContent);
  await waitFor(() => expect(names()).toEqual(['All 12', 'Unassigned 7', 'Mine 2', 'Urgent 1', 'Snoozed 4']));
  const counted = answer('post', '/api/intake/counts', { totalCount: 0, totalIsCapped: false, mentionCount: 0 });
  fireEvent.change(screen.getByRole('searchbox', { name: 'Filter messages' }), { target: { value: 'knee' } });
  await waitFor(() => expect(names()).toEqual(['All 3', 'Unassigned', 'Mine', 'Urgent', 'Snoozed']));
  await userEvent.click(views.getByText(/^Mine/));
  await waitFor(() => expect(names()).toEqual(['All', 'Unassigned', 'Mine 3', 'Urgent', 'Snoozed']));
  // The counts are requested once, without the words.
  expect(counted).toEqual([]);
  fireEvent.change(screen.getByRole('searchbox', { name: 'Filter messages' }), { target: { value: '' } });
  await waitFor(() => expect(names()).toEqual(['All 12', 'Unassigned 7', 'Mine 2', 'Urgent 1', 'Snoozed 4']));
});

test('the days of a filter are those of the reader, wherever that is (MSG-S-058, MSG-R-471)', async () => {
  vi.stubEnv('TZ', 'America/New_York');
  try {
    // In Europe it is tomorrow already.
    vi.setSystemTime(new Date('2026-11-21T02:00:00Z'));
    const { asked } = open([row()]);
    await shown('Results');
    await openFilter('Received');
    await click('Today');
    const [startDate, endDate] = ['2026-11-20T05:00:00.000Z', '2026-11-21T04:59:59.999Z'];
    await waitFor(() => expect(asked.at(-1)?.body).toMatchObject({ startDate, endDate }));
  } finally {
    vi.unstubAllEnvs();
  }
});

test('a column sorts the list, and the address keeps that', async () => {
  const { asked, router } = open([row()]);
  await shown('Results');
  await userEvent.click(within(screen.getByRole('columnheader', { name: 'Status' })).getByRole('button'));
  await waitFor(() => expect(asked.at(-1)?.body).toMatchObject({ orderBy: 'status', orderDir: 'desc' }));
  expect(router.state.location.search).toMatchObject({ sort: 'status', dir: 'desc' });
  expect(screen.getByRole('columnheader', { name: 'Status' })).toHaveAttribute('aria-sort', 'descending');
});

test('the pages turn, ten messages at first or as many as a person wants (MSG-S-056, MSG-R-128, MSG-R-132, MSG-R-133)', async () => {
  const kept = answer('put', '/api/account/preferences/screens/{name}', null as never);
  const { asked } = open(many(25));
  await shown('Message 0');
  const pages = within(screen.getByRole('navigation', { name: 'Pages' }));
  const sizes = pages.getByRole('combobox', { name: 'Rows per page' });
  expect(sizes).toHaveValue('10');
  expect(
    within(sizes)
      .getAllByRole('option')
      .map((o) => o.textContent),
  ).toEqual(['10', '25', '50', '100']);
  const turn = async (name: string, subject: string) => {
    await userEvent.click(pages.getByLabelText(name));
    await shown(subject);
  };
  expect(pages.getByRole('button', { name: 'First page' })).toBeDisabled();
  await turn('Next page', 'Message 10');
  await turn('Previous page', 'Message 0');
  await turn('Last page', 'Message 24');
  expect(pages.getByRole('button', { name: 'Next page' })).toBeDisabled();
  await turn('First page', 'Message 0');
  await userEvent.selectOptions(sizes, '25');
  await waitFor(() => expect(asked.at(-1)?.body).toMatchObject({ pageStart: 1, pageSize: 25 }));
  await waitFor(() => expect(kept.map((k) => [k.path.name, k.body])).toEqual([['intakePageSize', { value: 25 }]]));
});

test('all messages of the list are chosen beyond the page in view, and other filters let them go (MSG-S-006)', async () => {
  const acts = answer('post', '/api/messages/bulk', ({ body }) => ({ done: body.ids, refused: [] }));
  open(many(12));
  await shown('Message 0');
  const bar = async () => within(await screen.findByRole('toolbar', { name: 'Selected rows' }));
  await click(/^Select Message 0/, 'checkbox');
  expect((await bar()).getByText('1 selected')).toBeInTheDocument();
  await userEvent.click((await bar()).getByRole('button', { name: 'Select all 12' }));
  expect(await (await bar()).findByText('12 selected')).toBeInTheDocument();
  expect((await bar()).queryByRole('button', { name: /^Select all/ })).toBeNull();
  await click('Next page');
  await shown('Message 11');
  expect(screen.getByRole('checkbox', { name: 'Select Message 11' })).toBeChecked();
  await click('Mark as read');
  expect(await screen.findByText('12 messages marked as read.')).toBeInTheDocument();
  expect(acts.map(({ body }) => [body.act, body.ids.length])).toEqual([['read', 12]]);
  await click(/^Select Message 11/, 'checkbox');
  expect((await bar()).getByText('1 selected')).toBeInTheDocument();
  await userEvent.click(within(screen.getByRole('radiogroup', { name: 'Quick views' })).getByText(/Unassigned/));
  await waitFor(() => expect(screen.queryByRole('toolbar', { name: 'Selected rows' })).toBeNull());
});

test('where nothing matches, the list says what to do', async () => {
  const { router } = open([], '/intake?source=Fax');
  expect(await screen.findByRole('heading', { name: 'No message matches these filters' })).toBeInTheDocument();
  await userEvent.click(screen.getAllByRole('button', { name: 'Clear filters' }).at(-1)!);
  await waitFor(() => expect(router.state.location.search).toEqual({}));
});

test('a list that cannot be loaded says why and is asked for again', async () => {
  refusal('post', '/api/intake', 400, { message: 'The list cannot be shown just now.' });
  renderScreen(<IntakePage />, '/intake');
  expect(await screen.findByRole('heading', { name: 'The messages could not be loaded' })).toBeInTheDocument();
  expect(screen.getByText('The list cannot be shown just now.')).toBeInTheDocument();
  answer('post', '/api/intake', { items: [row()], totalCount: 1, totalIsCapped: false });
  await click('Try again');
  await shown('Results');
});

test('a message is deleted after a question that names it, which can be left (MSG-S-039, MSG-R-124, MSG-R-125, MSG-T-035, MSG-T-036, MSG-T-037, MSG-T-038)', async () => {
  const removed = answer('delete', '/api/messages/{id}', { message: 'Message has been deleted' } as never);
  open([row()]);
  const ask = async () => {
    await click(/^Actions for Results/);
    await click('Delete', 'menuitem');
    return within(await screen.findByRole('dialog', { name: 'Delete Message' }));
  };
  const question = await ask();
  expect(question.getByText('Results')).toBeInTheDocument();
  expect(question.getByText('Are you sure?')).toBeInTheDocument();
  await userEvent.click(question.getByRole('button', { name: 'Cancel' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(removed).toEqual([]);
  await userEvent.click((await ask()).getByRole('button', { name: 'OK' }));
  await waitFor(() => expect(removed.map((r) => r.path.id)).toEqual(['a']));
});

test('on a phone the list becomes cards that open their messages', async () => {
  viewport.isPhone = true;
  const { router } = open([row({ patientName: 'Tenney, Ruth' })]);
  const cards = within(await screen.findByRole('list', { name: 'Intake messages' }));
  await userEvent.click(cards.getByRole('link', { name: /Tenney, Ruth.*Results/ }));
  await waitFor(() => expect(router.state.location.pathname).toBe('/intake/a'));
  expect(screen.queryByRole('table')).toBeNull();
});

test('the list shows the patient named by a document, marked as not confirmed, until somebody names the patient', async () => {
  open([row({ proposal: { patientName: 'Tenney, Ruth', documentType: 'Lab report' } })]);
  const name = await screen.findByText('Tenney, Ruth');
  expect(name).toHaveClass('int-proposed');
  expect(name).toHaveTextContent('Read from the document, not confirmed yet');
  expect(screen.getByText('Lab report')).toHaveClass('int-proposed');
  expect(screen.queryByText('No patient yet')).toBeNull();
});

test('Enter in the search goes to the first message that was found, and Enter again opens it', async () => {
  const { router } = open([row()]);
  await shown('Results');
  await userEvent.type(screen.getByRole('searchbox', { name: 'Filter messages' }), 'Res{Enter}');
  await waitFor(() => expect(screen.getByRole('row', { name: /Results/ })).toHaveFocus());
  await userEvent.keyboard('{Enter}');
  await waitFor(() => expect(router.state.location.pathname).toBe('/intake/a'));
});

test('a row says where it is not certain whose the documents are', async () => {
  open([row({ patientDoubt: 'DocumentsDiffer' }), row({ id: 'b', subject: 'Certain', patientName: 'Tenney, Marisol' })]);
  const doubtful = (await shown('Results')).closest('tr')!;
  expect(within(doubtful).getByText('The documents and the sender name different patients')).toBeTruthy();
  expect(screen.getAllByText(/documents and the sender name different patients/)).toHaveLength(1);
});
