import { useLocation } from '@tanstack/react-router';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import type { NetworkFeature, NetworkOrganization, ServiceAccount } from '@/api/types';
import { HELP } from '@/shared/help';
import { answer, type AnswerOf, refusal } from '@/test/answers';
import { choose, fromMenu, dialog, fill, press, shows, tag, textbox } from '@/test/acts';
import { renderConsole } from '@/test/console';
import { NetworkPage } from './NetworkPage';
import { NetworksPage } from './NetworksPage';
import type { NetworkTab } from './search';

const NETWORK = '/api/networks/{id}';
const ACCOUNT = '/api/networks/{id}/serviceaccounts';
const ORGANIZATIONS = '/api/admin/networks/{id}/organizations';
const ADMINS = '/api/admin/networks/{id}/admins';
const FEATURES = '/api/admin/networks/{id}/features';
const page = <T,>(items: T[]) => ({ items, totalCount: items.length, totalIsCapped: false });
const taken = (field: string, text: string) => ({ modelState: { [field]: [text] } });
/** The data on the server. */
let network: { id: string; name: string; createDate: string; version: number };
let members: NetworkOrganization[];
let admins: AnswerOf<'get', typeof ADMINS>['items'];
let features: NetworkFeature[];

beforeEach(() => {
  network = { id: 'n', name: 'Cascade', createDate: '2026-11-01T08:00:00Z', version: 1 };
  [members, admins] = [[], []];
  features = [
    { name: 'SingleSignOn', isEnabled: true, childNetworkFeatures: [{ name: 'Provider', isEnabled: false, childNetworkFeatures: [] }] },
  ];
  answer('get', NETWORK, () => network);
  answer('get', '/api/networks/{id}/features', () => ({ features }));
  answer(
    'get',
    '/api/admin/networks/{id}',
    () => ({ organizationCount: 3, adminCount: 2, hasServiceAccount: true, createDate: network.createDate }) as never,
  );
  answer('get', ORGANIZATIONS, () => page(members));
  answer('get', ADMINS, () => page(admins));
});
/** The screen of a network, as its route shows it. */
function Screen() {
  const tab = useLocation({ select: (l) => l.pathname }).split('/')[3];
  return <NetworkPage id="n" tab={tab as NetworkTab} />;
}
async function open(tab: NetworkTab, roles?: string[]) {
  renderConsole(<Screen />, { address: `/networks/n/${tab}`, roles });
  await screen.findByRole('heading', { level: 1, name: 'Cascade' });
  return document.body;
}

test('a network is created, found from the first page on, and deleted (SES-R-358)', async () => {
  const listed = answer('get', '/api/networks', () => page([network]));
  const { state } = renderConsole(<NetworksPage />, { address: '/admin/networks?page=9' });
  await screen.findByText('Cascade');
  fireEvent.change(screen.getByRole('searchbox', { name: 'Search networks' }), { target: { value: 'Casc' } });
  await waitFor(() => expect(Object.fromEntries(listed.at(-1)!.query)).toEqual({ search: 'Casc', page: '1', size: '10' }));
  expect(state.location.pathname).toBe('/admin/networks');
  const why = 'This network still has organizations. Please remove them from the network before you delete it.';
  refusal('delete', NETWORK, 409, { message: why });
  const remove = async () => {
    await fromMenu('Cascade', 'Delete Network');
    const question = await dialog('Delete Network');
    expect(question).toHaveTextContent('Cascade');
    await press('Delete', question);
  };
  await remove();
  await shows(why);
  const deleted = answer('delete', NETWORK, null);
  await remove();
  await shows('The network was deleted.');
  expect(deleted[0]!.path.id).toBe('n');
});

test('a new network is shown once it is there', async () => {
  answer('get', '/api/networks', page([]));
  const router = renderConsole(<NetworksPage />);
  await press('Create');
  const form = await dialog('New Network');
  fill('Name', 'Cascade', form);
  const posted = answer('post', '/api/networks', () => network);
  await press('Create', form);
  await waitFor(() => expect(router.state.location.pathname).toBe('/networks/n/details'));
  expect(posted[0]!.body).toEqual({ name: 'Cascade' });
});

test('a network is renamed; a wrong name is told under its field, and one that is taken too (SES-R-362)', async () => {
  const form = await open('details');
  await screen.findByRole('textbox', { name: /^Name/ });
  fill('Name', 'ab', form);
  await press('Save Changes', form);
  await shows('Please enter a name of 3 to 100 characters.');
  fill('Name', 'Meridian', form);
  refusal('put', NETWORK, 400, taken('name', 'Another network has this name. Please enter a different one.'));
  await press('Save Changes', form);
  await waitFor(() =>
    expect(textbox('Name', form)).toHaveAccessibleDescription(/Another network has this name. Please enter a different one./),
  );
  fill('Name', 'Cascade renamed', form);
  const put = answer('put', NETWORK, ({ body }) => (network = { ...network, name: body.name, version: 2 }));
  await press('Save Changes', form);
  await shows('The network was saved.');
  expect(put[0]!.body).toEqual({ name: 'Cascade renamed', version: 1 });
  await screen.findByRole('heading', { level: 1, name: 'Cascade renamed' });
});

test('what somebody else changed meanwhile is shown, and can be taken', async () => {
  const form = await open('details');
  await screen.findByRole('textbox', { name: /^Name/ });
  fill('Name', 'Mine', form);
  refusal('put', NETWORK, 409, { reason: 'Changed in the meantime.' });
  network = { ...network, name: 'Theirs', version: 2 };
  await press('Save Changes', form);
  await shows('This network has changed.');
  await shows('Name: Cascade became Theirs.');
  await press('Load their version', form);
  await waitFor(() => expect(textbox('Name', form)).toHaveValue('Theirs'));
});

test('an overview that could not be loaded says so in its place, is asked for again, and explains who administers (MSG-S-078)', async () => {
  refusal('get', '/api/admin/networks/{id}', 500);
  const form = await open('details');
  await shows('The overview could not be loaded');
  expect(screen.queryByRole('term')).toBeNull();
  answer('get', '/api/admin/networks/{id}', { organizationCount: 3, adminCount: 2, hasServiceAccount: true } as never);
  await press('Try again', form);
  await waitFor(() =>
    expect(screen.getAllByRole('term').map((t) => `${t.textContent} ${t.nextElementSibling!.textContent}`)).toEqual([
      'Organizations 3',
      'Administrators 2',
      'Service account Yes',
      'Created –',
    ]),
  );
  expect(within(form).getByRole('button', { name: HELP.networkAdministrator })).toBeInTheDocument();
});

test('an organization is chosen by its name, is in one network, and leaves it again (SES-R-362)', async () => {
  const fernhill = {
    id: 'o',
    name: 'Fernhill',
    subDomain: 'fernhill',
    city: 'Larkfield',
    state: 'OH',
    isActivated: true,
    loginEnabled: true,
  };
  answer('get', '/api/organizations', page([fernhill]) as never);
  const form = await open('organizations');
  await screen.findByRole('heading', { name: 'No organizations yet' });
  await press('Add organization', form);
  const add = await dialog('Add an Organization');
  await press('Add', add);
  await shows('Please choose an organization from the list.');
  const field = within(add).getByRole('combobox', { name: /^Organization/ });
  fireEvent.change(field, { target: { value: 'Fernhill' } });
  await screen.findByRole('option', { name: 'Fernhill (fernhill)', hidden: true });
  // Enter takes the first match.
  fireEvent.keyDown(field, { key: 'Enter' });
  await waitFor(() => expect(field).toHaveValue('Fernhill (fernhill)'));
  const why = 'This organization is already in the network Meridian Exchange. Please remove it there first.';
  refusal('post', ORGANIZATIONS, 409, { message: why });
  await press('Add', add);
  await shows(why);
  const posted = answer('post', ORGANIZATIONS, () => (members = [fernhill])[0] as never);
  await press('Add', add);
  await shows('The organization was added to the network.');
  expect(posted[0]).toMatchObject({ path: { id: 'n' }, body: { organizationId: 'o' } });
  await fromMenu('Fernhill', 'Remove from the network');
  const question = await dialog('Remove Organization');
  expect(question).toHaveTextContent('Fernhill');
  const removed = answer('delete', '/api/admin/networks/{id}/organizations/{orgId}', () => {
    members = [];
    return null;
  });
  await press('Remove', question);
  await shows('The organization was removed from the network.');
  expect(removed[0]!.path).toMatchObject({ id: 'n', orgId: 'o' });
  await screen.findByRole('heading', { name: 'No organizations yet' });
});

test('an administrator is added by username, and why that is refused is told at the field (SES-R-362)', async () => {
  const colin = { id: 'a', userName: 'colin', fullName: 'Colin Marsh', email: 'colin@carepost.example', isDisabled: false };
  const form = await open('administrators');
  await press('Add administrator', form);
  const add = await dialog('Add an Administrator');
  await press('Add', add);
  await shows('Please enter a username or an e-mail address.');
  fill('Username or e-mail address', 'mara', add);
  refusal('post', ADMINS, 400, taken('userName', 'This person already administers another network. Each person can administer only one.'));
  await press('Add', add);
  await shows('This person already administers another network. Each person can administer only one.');
  fill('Username or e-mail address', 'COLIN', add);
  const posted = answer('post', ADMINS, () => (admins = [colin])[0] as never);
  await press('Add', add);
  await shows('Colin Marsh is now an administrator of the network.');
  expect(posted[0]).toMatchObject({ path: { id: 'n' }, body: { userName: 'COLIN' } });
  await fromMenu('colin', 'Remove from the network');
  const question = await dialog('Remove Administrator');
  expect(question).toHaveTextContent('Colin Marsh (colin)');
  const removed = answer('delete', '/api/admin/networks/{id}/admins/{adminId}', null);
  await press('Remove', question);
  await shows('The administrator was removed.');
  expect(removed[0]!.path).toMatchObject({ id: 'n', adminId: 'a' });
});

test('who only administers the network changes neither its members nor its features', async () => {
  members = [{ id: 'o', name: 'Fernhill', subDomain: 'fernhill', city: 'Larkfield', state: 'OH', isActivated: true, loginEnabled: true }];
  const form = await open('organizations', []);
  await shows('Fernhill');
  expect(screen.queryByRole('button', { name: /^(Add|Actions)/ })).toBeNull();
  fireEvent.click(screen.getByRole('tab', { name: 'Features' }));
  const within_ = await within(form).findByRole('list', { name: 'Within SingleSignOn' });
  expect(within_).toHaveTextContent('ProviderOff');
  expect(screen.queryByRole('switch')).toBeNull();
});

test('operators add features of a network, switch and remove them (SES-S-071)', async () => {
  const form = await open('features');
  await press('Add feature', form);
  const add = await dialog('Add a Feature');
  await choose('Feature', /^Referrals/, add);
  const posted = answer('post', FEATURES, ({ body }) => {
    features = [{ name: body.name, isEnabled: true, childNetworkFeatures: [] }];
    return null as never;
  });
  await press('Add', add);
  await shows('The feature was added.');
  expect(posted[0]!.body).toEqual({ name: 'Referrals', parent: null, isEnabled: true });
  const toggle = await screen.findByRole('switch', { name: 'Referrals' });
  expect(toggle).toBeChecked();
  const put = answer('put', FEATURES, ({ body }) => {
    features = [{ name: body.name, isEnabled: Boolean(body.isEnabled), childNetworkFeatures: [] }];
    return null as never;
  });
  fireEvent.click(toggle);
  await waitFor(() => expect(screen.getByRole('switch', { name: 'Referrals' })).not.toBeChecked());
  await waitFor(() => expect(put[0]!.body).toEqual({ name: 'Referrals', parent: null, isEnabled: false }));
  await press('Remove Referrals', form);
  const removed = answer('delete', FEATURES, () => {
    features = [];
    return null as never;
  });
  await press('Remove', await dialog('Remove feature'));
  await shows('The feature was removed.');
  expect(removed[0]!.query.get('name')).toBe('Referrals');
});

const account: ServiceAccount = {
  id: 'a',
  name: 'Cascade',
  clientId: 'c',
  serviceAccountEnabled: true,
  clientIpAddresses: [],
  allowedAddressCount: 5,
  version: 1,
  createDate: '2026-11-01T08:00:00Z',
  tokenIssuedDate: '2026-11-01T08:00:00Z',
};

test('an error counts as no service account, but offers nothing that would end a token (SES-C-067, SES-R-359)', async () => {
  refusal('get', ACCOUNT, 500);
  const form = await open('serviceaccount');
  await screen.findByRole('heading', { name: 'No service account' });
  expect(screen.queryByRole('button', { name: 'Create service account' })).toBeNull();
  refusal('get', ACCOUNT, 404);
  await press('Try again', form);
  expect(await screen.findByRole('button', { name: 'Create service account' })).toBeInTheDocument();
});

test('a service account is created without a body; its token is shown until it is kept, and once (SES-C-068, SES-R-360)', async () => {
  vi.stubGlobal('isSecureContext', true);
  refusal('get', ACCOUNT, 404);
  const form = await open('serviceaccount');
  const put = answer('put', ACCOUNT, { account, token: 'cpsa_secret' } as never);
  await press('Create service account', form);
  const token = await dialog('Token of the service account');
  expect(token).toHaveTextContent('cpsa_secret');
  await userEvent.keyboard('{Escape}');
  expect(token).toBeInTheDocument();
  await press('I have saved it', token);
  await waitFor(() => expect(screen.queryByText('cpsa_secret')).toBeNull());
  expect(put[0]!.body).toBeUndefined();
  await shows('No address is allowed yet, so every call is refused.');
});

test('a service account is restricted to a list of addresses, disabled and deleted (SES-C-069, SES-C-070, SES-C-071, SES-C-072, SES-R-361)', async () => {
  answer('get', ACCOUNT, account as never);
  const form = await open('serviceaccount');
  await shows('No address is allowed yet, so every call is refused.');
  const put = answer(
    'put',
    '/api/networks/{id}/serviceaccounts/ipaddresses',
    ({ body }) => ({ ...account, clientIpAddresses: body }) as never,
  );
  await tag('Addresses', ['somewhere'], form);
  await press('Save addresses', form);
  await shows('somewhere is neither an address nor a network.');
  await tag('Addresses', ['{Backspace}127.0.0.0/8', '2001:db8::/32'], form);
  await press('Save addresses', form);
  await shows('The allowed addresses were saved.');
  expect(put.map(({ body }) => body)).toEqual([['127.0.0.0/8', '2001:db8::/32']]);
  answer('put', '/api/networks/{id}/serviceaccounts/disable', { ...account, serviceAccountEnabled: false } as never);
  await press('Disable', form);
  await press('Disable', await dialog('Disable Service Account'));
  await shows('The service account is disabled.');
  answer('put', '/api/networks/{id}/serviceaccounts/enable', account as never);
  await press('Enable', form);
  await shows('The service account is enabled.');
  answer('delete', ACCOUNT, null);
  await press('Delete', form);
  await press('Delete', await dialog('Delete Service Account'));
  await shows('The service account was deleted.');
  await screen.findByRole('heading', { name: 'No service account' });
});
