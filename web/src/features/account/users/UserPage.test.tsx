import { notifications } from '@mantine/notifications';
import { act as inReact, fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { setToken } from '@/api/token';
import type { User } from '@/api/types';
import { queryClient } from '@/app/session';
import { choose, dialog, fill, press } from '@/test/acts';
import { type Asked, answer, refusal } from '@/test/answers';
import { renderScreen } from '@/test/render';
import { permissions } from '@/test/session';
import { AddUserPage, UserPage } from './UserPage';

vi.mock('@/app/session', async (original) => ({
  ...(await original<object>()),
  useProfile: () => ({ userId: 'me', organizationId: 'o-1' }),
}));

const rowan = {
  id: 'u-1',
  userName: 'rowan@northgate.example',
  email: 'rowan@northgate.example',
  firstName: 'Rowan',
  lastName: 'Aldane',
  phoneNumber: '',
  roleName: 'User',
  primaryJobFunction: 'Nurse',
  jobFunctionId: 'j-1',
  status: 'Active',
  isDisabled: false,
  isOrgAdmin: false,
  twoFactorEnabled: false,
  createDate: '2026-11-20T15:04:05Z',
  isLocked: false,
  canChangePerson: true,
  canChangeUserName: true,
  permissions: permissions(),
  organizations: [],
  version: 3,
} satisfies User;
const source = (id: string, isAssigned: boolean) => ({
  organizationId: 'o-1',
  documentSourceId: id,
  fullAddress: `${id}@northgate.direct.example`,
  displayName: '',
  type: 'Direct',
  status: 1,
  isAssigned,
});
const none = { items: [], totalCount: 0, totalIsCapped: false } as never;

let now: User;
let events: Asked<unknown>[];
let jobs: Asked<unknown>[];
beforeEach(() => {
  setToken({ accessToken: 't', expiresIn: 900 });
  notifications.clean();
  queryClient.clear();
  now = rowan;
  const one = '/api/users/{id}';
  answer('get', one, ({ path }) => ({ ...now, id: path.id! }));
  jobs = answer('get', '/api/users/jobs', { items: [{ id: 'j-1', name: 'Nurse' }] } as never);
  answer('get', `${one}/documentsources`, { items: [source('front', true), source('him', false)] });
  answer('get', '/api/settings/intakerules', none);
  answer('get', `${one}/rules`, none);
  answer('get', '/api/codegrants', none);
  answer('get', '/api/audit/types', none);
  answer('get', `${one}/events/signatures`, none);
  answer('get', `${one}/requests`, none);
  const entry = {
    id: 'e-1',
    eventType: 'Updated',
    objectType: 'user',
    objectId: 'u-1',
    succeeded: true,
    sourceIp: '',
    createdOn: rowan.createDate,
  };
  events = answer('get', `${one}/events`, { items: [entry], totalCount: 1, totalIsCapped: false } as never);
});
afterEach(() => void vi.useRealTimers());

async function open(id = 'u-1') {
  const router = renderScreen(<UserPage id={id} />);
  await screen.findByRole('heading', { level: 1, name: 'Rowan Aldane' });
  return router;
}
const box = (label: string) => screen.getByRole('textbox', { name: label });

test('a username is not valid, taken or available (SES-S-062, SES-C-014, SES-R-281, SES-R-282, SES-R-283, SES-R-326, SES-T-071, SES-T-072, SES-T-073, MSG-S-073, MSG-R-353, MSG-R-354, MSG-T-078, MSG-T-079, MSG-T-080)', async () => {
  const asked = answer('post', '/api/users/find', ({ query }) => ({ exists: query.get('username')!.startsWith('RUTH') }) as never);
  renderScreen(<AddUserPage />);
  await screen.findByRole('heading', { level: 1, name: 'Add User' });
  vi.useFakeTimers({ shouldAdvanceTime: true });
  const type = async (text: string) => {
    fireEvent.change(box('Username'), { target: { value: text } });
    await inReact(() => vi.advanceTimersByTimeAsync(1000));
  };
  await type('rowan');
  expect(await screen.findByText('Username is not valid')).toBeInTheDocument();
  expect(asked).toEqual([]);
  await type('RUTH@carepost.example');
  expect(await screen.findByText('Username already exists')).toBeInTheDocument();
  await type('new@carepost.example');
  expect(await screen.findByText('Username is available')).toBeInTheDocument();
  expect(asked.map(({ query }) => query.get('username'))).toEqual(['RUTH@carepost.example', 'new@carepost.example']);
});

test('a user needs a name and a job function; what was typed is left only after a question (SES-R-281)', async () => {
  const sent = answer('post', '/api/users', rowan);
  answer('post', '/api/users/find', { exists: false } as never);
  const router = renderScreen(<AddUserPage />);
  await press('Send Invitation');
  for (const text of ['Username is not valid', 'First Name is required.', 'Last Name is required.', 'Primary job function is required.'])
    expect(await screen.findByText(text)).toBeInTheDocument();
  expect(box('Username')).toHaveFocus();
  expect(sent).toEqual([]);
  fill('First name', 'Rowan');
  await press('Cancel');
  await press('Keep editing', await dialog('Leave without saving?'));
  expect(box('First name')).toHaveValue('Rowan');
  await press('Cancel');
  await press('Leave', await dialog('Leave without saving?'));
  await waitFor(() => expect(router.state.location.pathname).toBe('/account/users'));
});

test('a user is added with a job function of the list, and their page opens (SES-C-012, SES-C-021, ADA-T-129)', async () => {
  const sent = answer('post', '/api/users', rowan);
  answer('post', '/api/users/find', { exists: false } as never);
  const router = renderScreen(<AddUserPage />);
  await screen.findByRole('heading', { level: 1, name: 'Add User' });
  fill('Username', ' rowan@northgate.example ');
  fill('First name', 'Rowan');
  fill('Last name', 'Aldane');
  await choose('Primary job function', 'Nurse');
  await press('Send Invitation');
  expect(await screen.findByText('The user was saved successfully.')).toBeInTheDocument();
  expect(sent[0]!.body).toMatchObject({
    userName: 'rowan@northgate.example',
    firstName: 'Rowan',
    lastName: 'Aldane',
    roleName: 'User',
    jobFunctionId: 'j-1',
  });
  expect(jobs).toHaveLength(1);
  await waitFor(() => expect(router.state.location.pathname).toBe('/account/users/u-1'));
});

test('a user is changed on the version that was read (SES-C-011, SES-C-013, ADA-T-133)', async () => {
  const sent = answer('put', '/api/users/{id}', { ...rowan, firstName: 'Rowena', version: 4 });
  await open();
  fill('First name', 'Rowena');
  await choose('Role', 'Administrator');
  await press('Save Changes');
  expect(await screen.findByText('User successfully updated.')).toBeInTheDocument();
  expect(sent[0]!.path).toMatchObject({ id: 'u-1' });
  expect(sent[0]!.body).toMatchObject({ firstName: 'Rowena', roleName: 'Administrator', version: 3 });
});

test('what others changed meanwhile is said, and their version can be loaded', async () => {
  const problem = { reason: 'Changed in the meantime.', message: 'Somebody else has changed this user.' };
  refusal('put', '/api/users/{id}', 409, problem);
  await open();
  fill('First name', 'Rowan B.');
  now = { ...rowan, phoneNumber: '5550100123', version: 4 };
  await press('Save Changes');
  expect(await screen.findByText('This user has changed.')).toBeInTheDocument();
  expect(box('First name')).toHaveValue('Rowan B.');
  await press('Load their version');
  await waitFor(() => expect(box('Phone')).toHaveValue('(555) 010-0123'));
  expect(box('First name')).toHaveValue('Rowan');
});

test('the addresses that somebody sends from are saved as pairs of organization and address (SES-C-026, SES-C-027, SES-R-335)', async () => {
  const sent = answer('put', '/api/users/{id}/documentsources', { items: [source('front', true), source('him', true)] });
  await open();
  const save = await screen.findByRole('button', { name: 'Save Addresses' });
  expect(save).toBeDisabled();
  expect(screen.getByRole('checkbox', { name: /^front@/ })).toBeChecked();
  await userEvent.click(screen.getByRole('checkbox', { name: /^him@/ }));
  await userEvent.click(save);
  expect(await screen.findByText('The addresses were saved.')).toBeInTheDocument();
  expect(sent[0]!.body).toEqual(['front', 'him'].map((documentSourceId) => ({ organizationId: 'o-1', documentSourceId })));
});

test('one sees what one did, and changes neither the own role nor whether one may sign in (SES-C-023)', async () => {
  await open('me');
  expect(await within(screen.getByRole('table', { name: 'Activity' })).findByText(/^Updated/)).toBeInTheDocument();
  expect(events[0]!.path).toMatchObject({ id: 'me' });
  expect(events[0]!.query.get('pageStart')).toBe('1');
  expect(screen.getByRole('combobox', { name: 'Role' })).toBeDisabled();
  expect(screen.queryByRole('button', { name: 'Disable' })).toBeNull();
});
