import { notifications } from '@mantine/notifications';
import { cleanup, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse, http } from 'msw';
import { beforeEach, expect, test, vi } from 'vitest';
import { setToken } from '@/api/token';
import { answer, refusal } from '@/test/answers';
import { renderApp } from '@/test/render';
import { server } from '@/test/setup';
import { FaxAccounts } from './Accounts';

const ORGANIZATION = '0198f1aa-7a10-7000-8000-000000000041';
const provider = (kind: string, name: string) => ({ provider: kind, name, isConfigured: false, isForOperators: false });
const account = (kind: string, name: string, more: object) => ({
  id: kind,
  provider: kind,
  name,
  userName: 'larkfield',
  hasPassword: true,
  problem: null,
  version: 3,
  ...more,
});

beforeEach(() => {
  setToken({ accessToken: 't', expiresIn: 900 });
  notifications.clean();
});

/** The fax of an organization, as an operator sees it. */
function draw(accounts: object[]) {
  const all = [provider('westfax', 'WestFax'), provider('efax', 'eFax Corporate')];
  const kinds = accounts.map((a) => (a as { provider: string }).provider);
  server.use(
    http.get('*/api/fax/accounts', () => HttpResponse.json({ items: accounts })),
    http.get('*/api/fax/providers', () =>
      HttpResponse.json({ items: all.map((p) => ({ ...p, isConfigured: kinds.includes(p.provider) })) }),
    ),
  );
  renderApp(<FaxAccounts organizationId={ORGANIZATION} />);
}
const westfax = account('westfax', 'WestFax', { productId: 'p' });
const efax = account('efax', 'eFax Corporate', { appId: 'app', groupName: 'Front office' });
const fill = async (labels: string[]) => {
  for (const label of labels) await userEvent.type(await screen.findByLabelText(new RegExp(`^${label}`)), 'x');
};
const choose = async (name: string, item: string) => {
  await userEvent.click(await screen.findByRole('button', { name: `More for ${name}` }));
  await userEvent.click(await screen.findByRole('menuitem', { name: item }));
};
const failure = (message?: string) =>
  HttpResponse.json({ title: 'No', status: message ? 409 : 500, message }, { status: message ? 409 : 500 });

test('an eFax account that cannot be created is said so (ADA-S-008, ADA-R-339)', async () => {
  server.use(http.put('*/api/efax/account', () => failure()));
  draw([]);
  await userEvent.click(await screen.findByRole('button', { name: 'Add account eFax Corporate' }));
  await fill(['Application ID', 'Application key', 'User ID']);
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText('There was an error creating an eFax account for the organization.')).toBeInTheDocument();
});

test('the group name of an eFax account is copied (ADA-R-346)', async () => {
  const user = userEvent.setup();
  const write = vi.spyOn(navigator.clipboard, 'writeText');
  draw([efax]);
  await user.click(await screen.findByRole('button', { name: 'More for eFax Corporate' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Copy group name' }));
  expect(await screen.findByText('Group Name copied to your clipboard.')).toBeInTheDocument();
  expect(write).toHaveBeenCalledWith('Front office');
});

test('a WestFax account is created, what it lacks is said, and the address for its notices is told (ADA-S-009, ADA-R-340, MSG-R-160)', async () => {
  refusal('put', '/api/westfax/account', 422, { modelState: { productId: ['Enter the product id.'] } });
  draw([]);
  await userEvent.click(await screen.findByRole('button', { name: 'Add account WestFax' }));
  await fill(['User name', 'Password']);
  const save = () => userEvent.click(screen.getByRole('button', { name: 'Save' }));
  await save();
  expect(await screen.findByText('Enter the product id.')).toBeInTheDocument();
  const made = { ...westfax, callbackUrl: 'https://here.example/api/fax/callbacks/77' } as never;
  const saved = answer('put', '/api/westfax/account', made);
  await fill(['Product ID']);
  await save();
  expect(await screen.findByText('The fax account was added.')).toBeInTheDocument();
  expect(saved[0]!.body).toMatchObject({ userName: 'x', password: 'x', productId: 'x' });
  expect(saved[0]!.query.get('organizationId')).toBe(ORGANIZATION);
  expect(screen.getByText('https://here.example/api/fax/callbacks/77')).toBeInTheDocument();
  await userEvent.click(screen.getByRole('button', { name: 'Done' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
});

test('a WestFax account is changed, and its password is never shown (ADA-R-341)', async () => {
  const saved = answer('put', '/api/westfax/account', westfax as never);
  draw([westfax]);
  await choose('WestFax', 'Edit');
  expect(await screen.findByRole('textbox', { name: 'User name' })).toHaveValue('larkfield');
  expect(screen.getByLabelText('Password')).toHaveValue('');
  await fill(['Product ID']);
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText('The fax account was saved.')).toBeInTheDocument();
  expect(saved[0]!.body).toMatchObject({ productId: 'px', password: '', version: 3 });
});

test('modems are set up by operators, with or without a password; an administrator only tests them', async () => {
  const modems = { ...provider('hylafax', 'HylaFAX'), isConfigured: true, isForOperators: true };
  const own = account('hylafax', 'HylaFAX', { server: '127.0.0.1:9', outsideLine: '' });
  server.use(
    http.get('*/api/fax/accounts', () => HttpResponse.json({ items: [own] })),
    http.get('*/api/fax/providers', () => HttpResponse.json({ items: [modems] })),
  );
  const tested = answer('post', '/api/fax/accounts/{provider}/test', { problems: ['HylaFAX cannot be reached at 127.0.0.1:9.'] });
  renderApp(<FaxAccounts />);
  await userEvent.click(await screen.findByRole('button', { name: 'Test' }));
  expect(await screen.findByText('HylaFAX cannot be reached at 127.0.0.1:9.')).toBeInTheDocument();
  expect(tested).toMatchObject([{ path: { provider: 'hylafax' } }]);
  expect(screen.queryByRole('button', { name: 'More for HylaFAX' })).toBeNull();
  cleanup();

  renderApp(<FaxAccounts organizationId={ORGANIZATION} />);
  refusal('put', '/api/fax/accounts/{provider}', 422, { modelState: { password: ['The stored password belongs to one user.'] } });
  await choose('HylaFAX', 'Edit');
  await fill(['User name']);
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText('The stored password belongs to one user.')).toBeInTheDocument();
  const saved = answer('put', '/api/fax/accounts/{provider}', own as never);
  await userEvent.click(screen.getByRole('checkbox', { name: 'This user has no password' }));
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText('The fax account was saved.')).toBeInTheDocument();
  expect(saved[0]!.body).toMatchObject({ userName: 'larkfieldx', hasNoPassword: true });
});

test('numbers are brought over from WestFax, and its refusals are told in its words (ADA-R-342, ADA-R-343)', async () => {
  server.use(http.post('*/api/westfax/account/sync', () => HttpResponse.json({ added: [{}, {}], problems: [] })));
  draw([westfax]);
  await choose('WestFax', 'Import numbers');
  expect(await screen.findByText('WestFax: 2 numbers were added.')).toBeInTheDocument();
  const words = 'WestFax does not accept the user name or the password: Login failed';
  server.use(http.post('*/api/westfax/account/sync', () => HttpResponse.json({ added: [], problems: [words] })));
  await choose('WestFax', 'Import numbers');
  expect(await screen.findByText(words)).toBeInTheDocument();
});

test.each([
  ['a WestFax account is deleted after a question only, and a refusal says why (ADA-S-022, ADA-R-343, ADA-R-344)', 'westfax', westfax],
  ['the access to eFax is given up after a question only (ADA-S-023, ADA-R-345)', 'efax', efax],
])('%s', async (_title, kind, saved) => {
  const asked = vi.fn(() => failure('The account has 2 numbers.'));
  server.use(http.delete(`*/api/${kind}/account`, asked));
  draw([saved]);
  await choose(saved.name, 'Delete account');
  const dialog = within(await screen.findByRole('dialog', { name: 'Delete the fax account?' }));
  expect(asked).not.toHaveBeenCalled();
  await userEvent.click(dialog.getByRole('button', { name: 'Delete' }));
  await waitFor(() => expect(asked).toHaveBeenCalled());
  expect(await screen.findByText('The account has 2 numbers.')).toBeInTheDocument();
});
