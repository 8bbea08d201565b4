import { act, cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { OrganizationRow } from '@/api/types';
import { answer, refusal } from '@/test/answers';
import { fromMenu, dialog, menuOf, press, shows, sizesOffered } from '@/test/acts';
import { renderConsole } from '@/test/console';
import { OrganizationsPage } from './OrganizationsPage';

const organization = (over: Partial<OrganizationRow> = {}) =>
  ({
    id: 'o',
    orgId: '0198f1aa-7a10-7000-8000-0000003f7c21',
    name: 'Larkfield',
    networkName: 'Meridian Exchange',
    subDomain: 'larkfield',
    resellerName: 'Copperfield',
    tierCode: 'Free',
    isActivated: false,
    isEnabled: true,
    loginType: 'Password',
    apiCapture: false,
    isPendingCancellation: false,
    ...over,
  }) as OrganizationRow;
/** The data on the server. */
let row: OrganizationRow | null;
let listed: { query: URLSearchParams }[];

beforeEach(() => {
  row = organization();
  answer('get', '/api/configuration', { apiCaptureEnabled: true, customerMessagingEnabled: true });
  listed = answer(
    'get',
    '/api/organizations',
    () => ({ items: row ? [row] : [], totalCount: row ? 95 : 0, totalIsCapped: false }) as never,
  );
});
afterEach(() => void vi.useRealTimers());
/** Shows the list; returns the text of a cell by the title of its column. */
async function draw(address = '/') {
  const router = renderConsole(<OrganizationsPage />, { address });
  await screen.findByRole('row', { name: /Larkfield/ });
  return { router, cell };
}
const titles = () => screen.getAllByRole('columnheader', { hidden: true }).map((c) => c.textContent);
const cell = (title: string) => screen.getByRole('row', { name: /Larkfield/ }).querySelectorAll('td')[titles().indexOf(title)];

test.each([true, false])('API capture is offered where the configuration says so: %s (ADA-R-054, ADA-R-064)', async (apiCaptureEnabled) => {
  answer('get', '/api/configuration', { apiCaptureEnabled } as never);
  await draw();
  const shown = apiCaptureEnabled ? 1 : 0;
  await expect.poll(() => titles().filter((t) => t === 'API capture').length).toBe(shown);
  expect((await menuOf('Larkfield')).filter((item) => item === 'Start API Capture')).toHaveLength(shown);
});

test('a sync is offered only where a token of the service is set (ADA-R-012, ADA-C-011)', async () => {
  answer('get', '/api/configuration', { apiCaptureEnabled: false, customerMessagingEnabled: false });
  await draw();
  expect(await menuOf('Larkfield')).not.toContain('Sync with Intercom');
});

test('the list shows its columns and states in words (ADA-R-050, ADA-R-052, ADA-R-053, ADA-T-015, ADA-T-016, ADA-T-017)', async () => {
  await draw();
  await expect
    .poll(() => titles().slice(0, 9))
    .toEqual(['ID', 'Organization', 'Network', 'Subdomain', 'Reseller', 'Tier', 'Activation', 'Login', 'Login type']);
  const shown = () => Array.from(titles().slice(0, 9), (title) => cell(title)!.textContent);
  expect(shown()).toEqual([
    '3f7c21',
    'Larkfield',
    'Meridian Exchange',
    'larkfield',
    'Copperfield',
    'Free',
    'Not Activated',
    'Enabled',
    'Password',
  ]);
  cleanup();
  row = organization({ isActivated: true, isEnabled: false });
  await draw();
  expect([cell('Activation')!.textContent, cell('Login')!.textContent]).toEqual(['Activated', 'Disabled']);
});

test('the list is sorted by name, in pages of 10, 25, 50 or 100 rows with links to the first, previous, next and last, and the address keeps its state (ADA-R-051, ADA-R-058, ADA-R-059, ADA-R-060, ADA-S-064)', async () => {
  const { router } = await draw();
  expect(Object.fromEntries(listed.at(-1)!.query)).toEqual({ sortDir: 'asc', pageNumber: '1', pageSize: '10' });
  const header = screen.getByRole('columnheader', { name: /^Organization/ });
  expect(header).toHaveAttribute('aria-sort', 'ascending');
  fireEvent.click(within(header).getByRole('button'));
  await waitFor(() => expect(header).toHaveAttribute('aria-sort', 'descending'));
  expect(listed.at(-1)!.query.get('sortDir')).toBe('desc');
  expect(sizesOffered()).toEqual(['10', '25', '50', '100']);
  for (const [link, page] of [
    ['Next page', 2],
    ['Last page', 10],
    ['Previous page', 9],
    ['First page', undefined],
  ] as const) {
    await press(link);
    await waitFor(() => expect(router.state.location.search).toEqual({ sort: 'name', dir: 'desc', page }));
  }
  expect(listed.map(({ query }) => query.get('pageNumber'))).toEqual(['1', '1', '2', '10', '9']);
  fireEvent.change(screen.getByRole('combobox', { name: 'Rows per page' }), { target: { value: '25' } });
  await waitFor(() => expect(listed.at(-1)!.query.get('pageSize')).toBe('25'));
  expect(router.state.location.search).toEqual({ sort: 'name', dir: 'desc', size: 25 });
});

test('a search by name waits 400 ms after the last key (ADA-S-002, ADA-R-056, ADA-R-057)', async () => {
  await draw();
  const before = listed.length;
  const box = screen.getByRole('searchbox', { name: 'Search organizations' });
  vi.useFakeTimers({ shouldAdvanceTime: true });
  for (const text of ['l', 'la', 'lark']) {
    fireEvent.change(box, { target: { value: text } });
    await act(() => vi.advanceTimersByTimeAsync(300));
  }
  expect(listed).toHaveLength(before);
  await act(() => vi.advanceTimersByTimeAsync(150));
  await vi.waitFor(() => expect(listed).toHaveLength(before + 1));
  expect(listed.at(-1)!.query.get('search')).toBe('lark');
});

test('Create, a row and its Edit open the form of an organization (ADA-R-065, ADA-R-066, ADA-T-004, ADA-T-007)', async () => {
  const { router } = await draw();
  await fromMenu('Larkfield', 'Edit');
  await waitFor(() => expect(router.state.location.pathname).toBe('/admin/organizations/o/details'));
  await press('Create');
  await waitFor(() => expect(router.state.location.pathname).toBe('/admin/organizations/add/details'));
});

test('a switch asks for those that cancel, and Clear Cancellation is only offered there, and asks first (ADA-S-020, ADA-R-061, ADA-R-063, ADA-T-006, ADA-T-012, ADA-T-098, ADA-T-099)', async () => {
  await draw();
  expect(await menuOf('Larkfield')).not.toContain('Clear Cancellation');
  row = organization({ isPendingCancellation: true });
  fireEvent.click(screen.getByRole('switch', { name: 'Show Canceled / Canceling Soon' }));
  await waitFor(() => expect(listed.at(-1)!.query.get('cancelling')).toBe('true'));
  await waitFor(() => expect(screen.getByRole('row', { name: /Larkfield/ })).toHaveTextContent('Canceling'));
  await fromMenu('Larkfield', 'Clear Cancellation');
  const question = await dialog('Clear Cancellation');
  expect(question).toHaveTextContent('Larkfield');
  refusal('post', '/api/organizations/{id}/clearcancel', 500);
  await press('Clear', question);
  await shows('There was an error clearing the cancellation for this organization.');
  answer('post', '/api/organizations/{id}/clearcancel', () => {
    row = null;
    return null;
  });
  await press('Clear', question);
  await shows('The cancellation was cleared successfully.');
  await shows('No organization is canceled or canceling soon.');
});

test('API capture is shown, started and stopped (ADA-R-055, ADA-R-185, ADA-R-186, ADA-T-013, ADA-T-014, ADA-T-019, ADA-T-092, ADA-T-093)', async () => {
  await draw();
  await expect.poll(() => cell('API capture')?.textContent).toBe('–');
  refusal('put', '/api/organizations/{id}/apicapture', 500);
  await fromMenu('Larkfield', 'Start API Capture');
  await shows('There was an error updating the organization API setting.');
  const put = answer('put', '/api/organizations/{id}/apicapture', ({ body }) => {
    row = organization({ apiCapture: body.enable });
    return null as never;
  });
  await fromMenu('Larkfield', 'Start API Capture');
  await shows('Organization API settings updated.');
  await waitFor(() => expect(cell('API capture')).toHaveTextContent('Capturing'));
  await fromMenu('Larkfield', 'Stop API Capture');
  await waitFor(() => expect(cell('API capture')).toHaveTextContent('–'));
  expect(put.map(({ body }) => body)).toEqual([{ enable: true }, { enable: false }]);
});

test('a login is disabled and enabled again from the list (ADA-R-183, ADA-T-009, ADA-T-010, ADA-T-091)', async () => {
  await draw();
  refusal('put', '/api/organizations/{id}/enable', 500);
  await fromMenu('Larkfield', 'Disable Login');
  await shows('There was an error updating the organization login ability.');
  const put = answer('put', '/api/organizations/{id}/enable', ({ body }) => {
    row = organization({ isEnabled: body.enable });
    return null as never;
  });
  await fromMenu('Larkfield', 'Disable Login');
  await shows('Organization Login Ability has been updated.');
  await waitFor(() => expect(cell('Login')).toHaveTextContent('Disabled'));
  await fromMenu('Larkfield', 'Enable Login');
  await waitFor(() => expect(cell('Login')).toHaveTextContent('Enabled'));
  expect(put.map(({ body }) => body)).toEqual([{ enable: false }, { enable: true }]);
});

test('a sync with the messaging service says whether it was begun (ADA-T-094, ADA-T-095)', async () => {
  await draw();
  refusal('post', '/api/organizations/{id}/sync', 500);
  await fromMenu('Larkfield', 'Sync with Intercom');
  await shows('There was an error trying to sync organization with Intercom.');
  const begun = answer('post', '/api/organizations/{id}/sync', null as never);
  await fromMenu('Larkfield', 'Sync with Intercom');
  await shows('Organization Intercom Sync has been initialized.');
  expect(begun[0]!.path.id).toBe('o');
});

test('an organization is activated and closed again through its dialog (ADA-S-019, ADA-R-177, ADA-R-178, ADA-R-181, ADA-R-182, ADA-T-011, ADA-T-034, ADA-T-096, ADA-T-097)', async () => {
  await draw();
  await fromMenu('Larkfield', 'Activation Status');
  let box = await dialog('Activation Status');
  expect(box).toHaveTextContent('Provision the organization with the messaging provider before you activate it');
  expect(box).toHaveTextContent('Activating enables the functions of Intake and Release');
  expect(within(box).queryByRole('checkbox')).toBeNull();
  expect(within(box).getByRole('button', { name: 'Save' })).toBeDisabled();
  fireEvent.click(within(box).getByRole('radio', { name: 'Activated' }));
  expect(within(box).getByRole('checkbox', { name: 'Create default records address' })).toBeChecked();
  expect(within(box).getByRole('checkbox', { name: /Send activation email/ })).not.toBeChecked();
  refusal('put', '/api/organizations/{id}/activate', 500);
  await press('Save', box);
  await shows('There was an error updating the organization activation status.');
  const put = answer('put', '/api/organizations/{id}/activate', ({ body }) => {
    row = organization({ isActivated: body.activated });
    return null as never;
  });
  await press('Save', box);
  await shows('Organization Activation Status has been updated.');
  await waitFor(() => expect(cell('Activation')).toHaveTextContent(/^Activated$/));
  await fromMenu('Larkfield', 'Activation Status');
  box = await dialog('Activation Status');
  fireEvent.click(within(box).getByRole('radio', { name: 'Not Activated' }));
  expect(within(box).queryByRole('checkbox')).toBeNull();
  await press('Save', box);
  await waitFor(() => expect(cell('Activation')).toHaveTextContent('Not Activated'));
  expect(put.map(({ body }) => body)).toEqual([
    { activated: true, sendEmail: false, seedRecords: true },
    { activated: false, sendEmail: false, seedRecords: false },
  ]);
});

test('nothing is deleted, activated or cleared before its dialog has asked (ADA-S-021, ADA-R-068, ADA-T-008, ADA-T-036, ADA-T-100, ADA-T-101)', async () => {
  row = organization({ isPendingCancellation: true });
  const calls = [
    answer('put', '/api/organizations/{id}/activate', null as never),
    answer('post', '/api/organizations/{id}/clearcancel', null),
    answer('delete', '/api/organizations/{id}', null),
  ];
  await draw();
  for (const item of ['Activation Status', 'Clear Cancellation']) {
    await fromMenu('Larkfield', item);
    await press('Cancel', await dialog(item));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  }
  await fromMenu('Larkfield', 'Delete Organization');
  const question = await dialog('Delete Organization');
  expect(question).toHaveTextContent('Larkfield');
  expect(calls).toEqual([[], [], []]);
  refusal('delete', '/api/organizations/{id}', 500);
  await press('Delete', question);
  await shows('There was an error deleting this organization.');
  const deleted = answer('delete', '/api/organizations/{id}', () => {
    row = null;
    return null;
  });
  await press('Delete', question);
  await shows('The organization was deleted successfully.');
  expect(deleted[0]!.path.id).toBe('o');
  await shows('No organizations yet');
});
