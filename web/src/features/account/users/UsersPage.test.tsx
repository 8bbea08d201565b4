import { notifications } from '@mantine/notifications';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { setToken } from '@/api/token';
import type { UserRow } from '@/api/types';
import { fromMenu, choose, dialog, press } from '@/test/acts';
import { type Asked, answer, refusal } from '@/test/answers';
import { renderScreen } from '@/test/render';
import { UsersPage } from './UsersPage';

vi.mock('@/app/session', async (original) => ({ ...(await original<object>()), useProfile: () => ({ userId: 'me' }) }));

const rowan: UserRow = {
  id: 'u-1',
  userName: 'rowan@northgate.example',
  firstName: 'Rowan',
  lastName: 'Aldane',
  roleName: 'User',
  primaryJobFunction: 'Nurse',
  status: 'Active',
  isDisabled: false,
  isOrgAdmin: false,
  twoFactorEnabled: true,
};

let people: UserRow[];
let listed: Asked<unknown>[];
beforeEach(() => {
  setToken({ accessToken: 't', expiresIn: 900 });
  notifications.clean();
  people = [rowan];
  listed = answer('get', '/api/users', () => ({
    items: people,
    totalCount: people.length && 45,
    totalIsCapped: false,
    numberOfUsers: 4,
    allowedUsers: 5,
  }));
});
afterEach(() => void vi.useRealTimers());

const query = (name: string) => listed.at(-1)!.query.get(name);
const sort = () => JSON.parse(query('sort')!) as object;

test('the list is sorted by what JSON says, and a search begins on page 1 (SES-C-010, SES-R-324, SES-R-325)', async () => {
  const router = renderScreen(<UsersPage />, '/?page=2&size=10');
  await screen.findByText('Rowan Aldane');
  expect([query('page'), sort()]).toEqual(['2', { by: 'name', dir: 'asc' }]);
  await press('Username');
  await waitFor(() => expect(sort()).toEqual({ by: 'userName', dir: 'asc' }));
  await press('Username');
  await waitFor(() => expect(sort()).toEqual({ by: 'userName', dir: 'desc' }));
  await router.navigate({ to: '/', search: { page: 2, size: 10 } as never });
  await waitFor(() => expect(query('page')).toBe('2'));
  vi.useFakeTimers({ shouldAdvanceTime: true });
  fireEvent.change(screen.getByLabelText('Search users'), { target: { value: 'rowan' } });
  await vi.advanceTimersByTimeAsync(350);
  await waitFor(() => expect([query('search'), query('page')]).toEqual(['rowan', '1']));
});

test('the list is filtered by status and role, and all are shown again (SES-C-010)', async () => {
  renderScreen(<UsersPage />);
  await screen.findByText('Rowan Aldane');
  await userEvent.click(screen.getByText('Invited'));
  await waitFor(() => expect(query('status')).toBe('Invited'));
  people = [];
  await choose('Role', 'Administrator');
  await waitFor(() => expect(query('roleName')).toBe('Administrator'));
  expect(await screen.findByRole('heading', { name: 'No user matches' })).toBeInTheDocument();
  await press('Show all');
  await waitFor(() => expect([query('status'), query('roleName')]).toEqual([null, null]));
});

const invited = { ...rowan, status: 'Invited', twoFactorEnabled: false } as const;
const disabled = { ...rowan, status: 'Disabled', isDisabled: true } as const;
test.each([
  {
    ids: 'SES-C-020, SES-R-328, ADA-T-058, ADA-T-126, ADA-T-128',
    item: 'Disable',
    title: 'Disable User',
    user: rowan,
    verb: 'post',
    path: '/api/users/{id}/enable',
    sent: { id: 'u-1', enable: 'false' },
    failed: 'There was an error disabling user',
    done: 'User has been disable.',
  },
  {
    ids: 'SES-C-020, SES-R-328, ADA-T-058, ADA-T-125, ADA-T-127',
    item: 'Enable',
    title: 'Enable User',
    user: disabled,
    verb: 'post',
    path: '/api/users/{id}/enable',
    sent: { id: 'u-1', enable: 'true' },
    failed: 'There was an error enabling user',
    done: 'User has been enabled.',
  },
  {
    ids: 'SES-C-019, ADA-T-136, ADA-T-137',
    item: 'Resend Invitation',
    title: 'Resend Invitation',
    label: 'Send',
    user: invited,
    verb: 'post',
    path: '/api/users/resendinvitation',
    sent: { id: 'u-1', userName: 'rowan@northgate.example' },
    failed: 'Failed to resend invitation',
    done: 'Invitation sent',
  },
  {
    ids: 'SES-C-016, ADA-T-134, ADA-T-135',
    item: 'Reset Password',
    title: 'Reset Password',
    label: 'Send',
    user: rowan,
    verb: 'post',
    path: '/api/users/resetpassword',
    sent: { id: 'u-1' },
    failed: 'Failed to send password reset',
    done: 'Password reset request sent',
  },
] as const)(
  '$item is an act of a row, and says whether it worked ($ids)',
  async ({ item, title, user, verb, path, sent, failed, done, ...more }) => {
    const label = 'label' in more && more.label ? more.label : item;
    people = [user];
    renderScreen(<UsersPage />);
    await screen.findByText('Rowan Aldane');
    refusal(verb as 'post', path as '/api/users/{id}/enable', 500);
    await fromMenu('Rowan Aldane', item);
    await press(label, await dialog(title));
    expect(await screen.findByText(failed)).toBeInTheDocument();
    const asked = answer(verb as 'post', path as '/api/users/{id}/enable', null as never) as Asked<object | undefined>[];
    await fromMenu('Rowan Aldane', item);
    await press(label, await dialog(title));
    expect(await screen.findByText(done)).toBeInTheDocument();
    expect({ ...asked[0]!.path, ...Object.fromEntries(asked[0]!.query), ...asked[0]!.body }).toMatchObject(sent);
  },
);

test('a second step is reset by who says how they knew who asks (SES-C-017, SES-R-327, ADA-T-131, ADA-T-132)', async () => {
  people = [rowan];
  renderScreen(<UsersPage />);
  await screen.findByText('Rowan Aldane');
  await fromMenu('Rowan Aldane', 'Reset Second Step');
  const reset = await dialog('Reset Second Step');
  await press('Reset', reset);
  expect(await within(reset).findByText('Please choose how you made sure who is asking.')).toBeInTheDocument();
  await choose(/^How did you make sure who is asking/, 'I called back a number on file', reset);
  refusal('delete', '/api/users/{id}/authenticators', 500);
  await press('Reset', reset);
  expect(await screen.findByText('Could not disable two-factor for user.')).toBeInTheDocument();
  const asked = answer('delete', '/api/users/{id}/authenticators', null);
  await press('Reset', reset);
  expect(await screen.findByText('Two-factor disabled for user.')).toBeInTheDocument();
  expect([asked[0]!.path.id, asked[0]!.query.get('identityProof')]).toEqual(['u-1', 'CallBack']);
});

test('what is offered depends on how far somebody is, and for oneself nothing is', async () => {
  const menus = [
    [rowan, ['Reset Password', 'Reset Second Step', 'Disable', 'Remove']],
    [{ ...rowan, twoFactorEnabled: false }, ['Reset Password', 'Disable', 'Remove']],
    [invited, ['Resend Invitation', 'Disable', 'Remove']],
    [disabled, ['Enable', 'Remove']],
    [{ ...rowan, id: 'me' }, []],
  ] as const;
  people = menus.map(([user], n) => ({ ...user, id: n === 4 ? 'me' : `u-${n}`, lastName: `N${n}` }));
  renderScreen(<UsersPage />);
  for (const [n, [, items]] of menus.entries()) {
    await press(`Actions for Rowan N${n}`);
    const shown = (await screen.findAllByRole('menuitem')).map((item) => item.textContent);
    expect(shown).toEqual(['Edit', ...items]);
    await userEvent.keyboard('{Escape}');
    await waitFor(() => expect(screen.queryByRole('menuitem')).toBeNull());
  }
});
