import { notifications } from '@mantine/notifications';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse, http } from 'msw';
import { beforeEach, expect, test, vi } from 'vitest';
import { setToken } from '@/api/token';
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

test('a WestFax account is created (ADA-S-009, ADA-R-340)', async () => {
  server.use(http.put('*/api/westfax/account', () => HttpResponse.json(westfax)));
  draw([]);
  await userEvent.click(await screen.findByRole('button', { name: 'Add account WestFax' }));
  await fill(['User name', 'Password', 'Product ID']);
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText('The fax account was added.')).toBeInTheDocument();
});

test('a WestFax account is changed (ADA-R-341)', async () => {
  server.use(http.put('*/api/westfax/account', () => HttpResponse.json(westfax)));
  draw([westfax]);
  await choose('WestFax', 'Edit');
  await fill(['Product ID']);
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText('The fax account was saved.')).toBeInTheDocument();
});

test('numbers are brought over from WestFax, and its refusals are told in its words (ADA-R-342, ADA-R-343)', async () => {
  server.use(http.post('*/api/westfax/account/sync', () => HttpResponse.json({ added: [{}, {}], problems: [] })));
  draw([westfax]);
  await choose('WestFax', 'Bring numbers over');
  expect(await screen.findByText('WestFax: 2 numbers were added.')).toBeInTheDocument();
  const words = 'WestFax does not accept the user name or the password: Login failed';
  server.use(http.post('*/api/westfax/account/sync', () => HttpResponse.json({ added: [], problems: [words] })));
  await choose('WestFax', 'Bring numbers over');
  expect(await screen.findByText(words)).toBeInTheDocument();
});

test.each([
  ['a WestFax account is deleted after a question only, and a refusal says why (ADA-S-022, ADA-R-343)', 'westfax', westfax],
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
