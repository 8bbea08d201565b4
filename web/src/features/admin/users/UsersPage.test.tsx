import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse, http } from 'msw';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { setToken } from '@/api/token';
import type { AdminUserRow } from '@/api/types';
import { fromMenu, choose, dialog, fill, press } from '@/test/acts';
import { answer, type AnswerOf, refusal } from '@/test/answers';
import { renderScreen } from '@/test/render';
import { permissions } from '@/test/session';
import { server } from '@/test/setup';
import { UsersPage } from './UsersPage';

vi.mock('@/app/session', async (original) => ({ ...(await original<object>()), useProfile: () => ({ userId: 'me' }) }));

const SYSTEM: Partial<AdminUserRow> = { roleType: 'system', roleName: 'SysAdmin', isOrgAdmin: false, isSysAdmin: true };
const user: AdminUserRow = {
  id: 'u',
  userName: 'dana@larkfield.example',
  firstName: 'Dana',
  lastName: 'Reyes',
  email: 'dana@larkfield.example',
  roleType: 'organization',
  roleName: 'Administrator',
  organizations: [],
  idProofStatus: 'Passed',
  isSysAdmin: false,
  isOrgAdmin: true,
  isNetworkAdmin: false,
  status: 'Active',
  isDisabled: false,
  twoFactorEnabled: false,
  version: 1,
};
let pages: (string | null)[];

beforeEach(() => {
  pages = [];
  setToken({ accessToken: 't', expiresIn: 900 });
  server.use(
    http.get('*/api/configuration', () => HttpResponse.json({ apiCaptureEnabled: false, customerMessagingEnabled: false })),
    http.get('*/api/admin/users', ({ request }) => {
      pages.push(new URL(request.url).searchParams.get('pageNumber'));
      return HttpResponse.json({ users: [user], totalUsersCount: 95, totalIsCapped: false });
    }),
  );
});

test('the list has pages of 10, 25, 50 or 100, with first, previous, next and last (ADA-R-137, ADA-R-139, ADA-S-063)', async () => {
  renderScreen(<UsersPage />);
  const sizes = within(await screen.findByRole('combobox', { name: 'Rows per page' })).getAllByRole('option');
  expect(sizes.map((o) => o.textContent)).toEqual(['10', '25', '50', '100']);
  for (const [name, page] of [
    ['Last page', '10'],
    ['Previous page', '9'],
    ['First page', '1'],
    ['Next page', '2'],
  ] as const) {
    await userEvent.click(screen.getByRole('button', { name }));
    await vi.waitFor(() => expect(pages.at(-1)).toBe(page));
  }
});

test.each([
  ['an operator', SYSTEM, 'PUT', '/api/admin/sysadmin/u', { enable: false }],
  ['somebody of an organization', {}, 'POST', '/api/admin/users/enable', { id: 'u', enable: false }],
])('%s is disabled by a call of its own (ADA-R-143)', async (_who, change, method, path, body) => {
  const sent: unknown[] = [];
  server.use(
    http.get('*/api/admin/users', () => HttpResponse.json({ users: [{ ...user, ...change }], totalUsersCount: 1, totalIsCapped: false })),
    http.all(/\/api\/admin\/(sysadmin\/|users\/enable)/, async ({ request }) => {
      sent.push([request.method, new URL(request.url).pathname, await request.json()]);
      return HttpResponse.json({});
    }),
  );
  renderScreen(<UsersPage />);
  await userEvent.click(await screen.findByRole('button', { name: /^Actions for dana/ }));
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Disable' }));
  await userEvent.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Disable' }));
  await vi.waitFor(() => expect(sent).toEqual([[method, path, body]]));
});

/** The list holds these users from now on. */
const list = (...changes: Partial<AdminUserRow>[]) =>
  answer('get', '/api/admin/users', {
    users: changes.map((change, at) => ({ ...user, id: `u${at}`, ...change })),
    totalUsersCount: changes.length,
    totalIsCapped: false,
  });
const rowOf = (name: string) => screen.getByText(name).closest('tr')!;
const words = () => screen.getAllByRole('menuitem').map((item) => item.textContent);
const openMenu = async (of: string) => {
  await press(`Actions for ${of}`);
  await screen.findAllByRole('menuitem');
};

afterEach(() => {
  vi.useRealTimers();
});

test('of each user the organizations, the proof, the state and what they administer are told, the disabled set apart (ADA-S-038, ADA-R-142)', async () => {
  const places = ['Larkfield', 'Summit'].map((name) => ({
    id: name,
    name,
    role: 'User' as const,
    primaryJobFunction: 'Nurse',
    permissions: permissions(),
  }));
  list({ organizations: places, isNetworkAdmin: true }, { userName: 'out@x.example', isDisabled: true, status: 'Disabled' });
  renderScreen(<UsersPage />);
  await screen.findByText('dana@larkfield.example');
  const heads = screen.getAllByRole('columnheader').map((head) => head.textContent);
  expect(heads.slice(0, 6)).toEqual(['Username', 'Name', 'Organizations', 'ID proof', 'Enabled', 'Administers']);
  const dana = rowOf('dana@larkfield.example');
  expect(dana).toHaveTextContent('Dana ReyesLarkfield, SummitPassedEnabled');
  expect(
    within(dana)
      .getAllByRole('img')
      .map((icon) => icon.getAttribute('aria-label')),
  ).toEqual(['Organization administrator', 'Network administrator']);
  expect(dana).not.toHaveAttribute('data-muted');
  expect(rowOf('out@x.example')).toHaveAttribute('data-muted');
  expect(rowOf('out@x.example')).toHaveTextContent('Disabled');
});

test('the users are searched 300 ms after the last letter (ADA-R-133)', async () => {
  const asked = list({});
  renderScreen(<UsersPage />);
  await screen.findByText('dana@larkfield.example');
  const before = asked.length;
  vi.useFakeTimers({ shouldAdvanceTime: true });
  const field = screen.getByLabelText('Search users');
  for (const value of ['r', 'ri']) fireEvent.change(field, { target: { value } });
  await vi.advanceTimersByTimeAsync(200);
  expect(asked).toHaveLength(before);
  fireEvent.change(field, { target: { value: 'rit' } });
  await vi.advanceTimersByTimeAsync(200);
  expect(asked).toHaveLength(before);
  await vi.advanceTimersByTimeAsync(150);
  await waitFor(() => expect(asked.slice(before).map(({ query }) => query.get('search'))).toEqual(['rit']));
});

test('an operator has no organizations, no proof and no password to reset, and only who was invited gets a second invitation (ADA-R-144, ADA-R-145)', async () => {
  list(
    { userName: 'op', ...SYSTEM },
    { userName: 'here' },
    { userName: 'new', status: 'Invited' },
    { userName: 'out', status: 'Disabled', isDisabled: true },
  );
  renderScreen(<UsersPage />);
  await openMenu('op');
  expect(words()).toEqual(['Edit', 'Sessions', 'Disable', 'Delete']);
  await userEvent.keyboard('{Escape}');
  await openMenu('here');
  expect(words()).toEqual(expect.arrayContaining(['Organizations', 'ID Proofing', 'Reset Password', 'Disable']));
  expect(words()).not.toContain('Sync with Intercom');
  expect(words()).not.toContain('Resend Invitation');
  await userEvent.keyboard('{Escape}');
  await openMenu('new');
  expect(words()).toContain('Resend Invitation');
  await userEvent.keyboard('{Escape}');
  await openMenu('out');
  expect(words()).not.toContain('Resend Invitation');
  expect(words()).toContain('Enable');
});

test('disabling and enabling ask first, and are told (ADA-S-040, ADA-R-146, ADA-T-125, ADA-T-126)', async () => {
  list({ userName: 'here' }, { userName: 'out', status: 'Disabled', isDisabled: true });
  const sent = answer('post', '/api/admin/users/enable', {} as never);
  renderScreen(<UsersPage />);
  await fromMenu('here', 'Disable');
  const asks = await dialog('Disable User');
  expect(asks).toHaveTextContent('Dana Reyes (here)');
  expect(sent).toHaveLength(0);
  await press('Disable', asks);
  expect(await screen.findByText('User has been disable.')).toBeInTheDocument();
  await fromMenu('out', 'Enable');
  await press('Enable', await dialog('Enable User'));
  expect(await screen.findByText('User has been enabled.')).toBeInTheDocument();
  expect(sent.map(({ body }) => body)).toEqual([
    { id: 'u0', enable: false },
    { id: 'u1', enable: true },
  ]);
});

const NURSE = { id: 'j1', name: 'Nurse' };
const jobs = () => answer('get', '/api/users/jobs', { items: [NURSE], totalCount: 1 } as never);
const NORTHGATE = { id: 'o1', name: 'Northgate', subDomain: 'northgate' };

test('a new user has a type, an organization that is searched for, and twice the same password; what the server says against it is told (ADA-S-039, ADA-R-261, ADA-R-263, ADA-R-267, ADA-R-274, ADA-T-129)', async () => {
  list({});
  jobs();
  const searched = answer('get', '/api/organizations', { items: [NORTHGATE], totalCount: 1, totalIsCapped: false } as never);
  answer('post', '/api/users/find', { exists: false } as never);
  const early = answer('post', '/api/admin/users', {} as never);
  renderScreen(<UsersPage />);
  await press('Create');
  const form = await dialog('New user');
  const create = () => press('Create', form);
  await create();
  expect(within(form).getByText('Type is required.')).toBeInTheDocument();
  await choose(/^Type/, 'User of an organization', form);
  fill(/^Username/, 'rowan@northgate.example', form);
  fill(/^First name/, 'Rowan', form);
  fill(/^Last name/, 'Aldane', form);
  await choose(/^Organization/, 'Northgate (northgate)', form, 'no');
  expect(searched[0]!.query.get('search')).toBe('no');
  await choose(/^Role/, 'User', form);
  await choose(/^Primary job function/, 'Nurse', form);
  fireEvent.click(within(form).getByRole('checkbox', { name: /^Send an e-mail/ }));
  const type = (label: RegExp, value: string) => fireEvent.change(within(form).getByLabelText(label), { target: { value } });
  type(/^Password/, 'violet tram under the bridge');
  type(/^Confirm password/, 'something else');
  await create();
  expect(await within(form).findByText('The passwords do not match.')).toBeInTheDocument();
  expect(early).toHaveLength(0);
  type(/^Confirm password/, 'violet tram under the bridge');
  refusal('post', '/api/admin/users', 500);
  await create();
  expect(await screen.findByText('There was an error creating user')).toBeInTheDocument();
  refusal('post', '/api/admin/users', 422, { message: 'This practice has no place left.' });
  await create();
  expect(await screen.findByText('This practice has no place left.')).toBeInTheDocument();
  const sent = answer('post', '/api/admin/users', {} as never);
  await create();
  expect(await screen.findByText('The user was saved successfully.')).toBeInTheDocument();
  expect(sent.map(({ body }) => body)).toEqual([
    {
      userDetails: {
        userName: 'rowan@northgate.example',
        firstName: 'Rowan',
        lastName: 'Aldane',
        phoneNumber: '',
        roleName: 'User',
        jobFunctionId: 'j1',
      },
      organizationId: 'o1',
      password: 'violet tram under the bridge',
      emailCreatePassword: false,
    },
  ]);
});

type Account = AnswerOf<'get', '/api/admin/users/{id}'>;
const account = (over: Partial<Account>) => answer('get', '/api/admin/users/{id}', { ...user, id: 'u0', ...over } as Account);

test('somebody is assigned to a second organization, and taken out of one (ADA-S-042, ADA-T-140, ADA-T-142)', async () => {
  list({});
  jobs();
  const granite = { id: 'g', name: 'Granite', role: 'User' as const, primaryJobFunction: 'Nurse', permissions: permissions() };
  account({ organizations: [granite] });
  const free = answer('get', '/api/organizations/{id}', { items: [NORTHGATE], totalCount: 1 } as never);
  const assigned = answer('post', '/api/admin/organizations/{organizationId}/users', {} as never);
  const allowed = answer('put', '/api/admin/organizations/{organizationId}/users/{userId}', {} as never);
  const removed = answer('delete', '/api/admin/organizations/{organizationId}/users/{userId}', null as never);
  renderScreen(<UsersPage />);
  await fromMenu('dana@larkfield.example', 'Organizations');
  const places = await dialog('Organizations');
  expect(await within(places).findByText('User, Nurse')).toBeInTheDocument();
  await press('Assign', places);
  expect(await within(places).findByText('Please choose an organization from the list.')).toBeInTheDocument();
  await choose(/^Organization/, 'Northgate (northgate)', places, 'north');
  await choose(/^Role/, 'Administrator', places);
  await choose(/^Primary job function/, 'Nurse', places);
  await press('Assign', places);
  expect(await screen.findByText('The user organization was saved successfully.')).toBeInTheDocument();
  expect([free[0]!.path.id, free[0]!.query.get('search')]).toEqual(['u0', 'north']);
  expect(assigned.map(({ body }) => body)).toEqual([{ userId: 'u0', organizationId: 'o1', role: 'Administrator', jobFunctionId: 'j1' }]);
  await userEvent.click(within(places).getByRole('switch', { name: 'May open restricted documents of Granite' }));
  await waitFor(() => expect(allowed.map(({ body }) => body)).toEqual([{ permissions: permissions({ openRestricted: false }) }]));
  await press('Remove from Granite', places);
  await press('Remove', await dialog('Remove from Organization'));
  expect(await screen.findByText('User successfully removed from organization.')).toBeInTheDocument();
  expect(removed.map(({ path }) => path)).toEqual([expect.objectContaining({ organizationId: 'g', userId: 'u0' })]);
});

test('role and job are changed in place (ADA-S-039, ADA-C-063)', async () => {
  list({});
  jobs();
  const granite = { id: 'g', name: 'Granite', role: 'User' as const, primaryJobFunction: 'Nurse', permissions: permissions() };
  account({ organizations: [granite] });
  const saved = answer('put', '/api/admin/organizations/{organizationId}/users/{userId}', {} as never);
  renderScreen(<UsersPage />);
  await fromMenu('dana@larkfield.example', 'Organizations');
  await press('Change role and job in Granite', await dialog('Organizations'));
  const place = await dialog('Role and Job');
  await choose(/^Role/, 'Administrator', place);
  await press('Save Changes', place);
  await waitFor(() => expect(saved.map(({ body }) => body)).toEqual([{ role: 'Administrator', jobFunctionId: 'j1' }]));
});

test('a user is synced only where a token of the service is set (ADA-R-022, ADA-C-072)', async () => {
  answer('get', '/api/configuration', { apiCaptureEnabled: false, customerMessagingEnabled: true });
  list({});
  renderScreen(<UsersPage />);
  await screen.findByText('dana@larkfield.example');
  await waitFor(async () => {
    await openMenu('dana@larkfield.example');
    expect(words()).toContain('Sync with Intercom');
  });
});

test('a proof of identity is decided on, told by e-mail if wanted, looked at, or begun anew (ADA-S-041, ADA-T-144)', async () => {
  list({ idProofStatus: 'UnderReview' });
  account({ idProofFileName: 'Licence.pdf' });
  const decided = answer('post', '/api/admin/users/idproof', {} as never);
  const reset = answer('post', '/api/admin/users/{id}/idproof/reset', {} as never);
  renderScreen(<UsersPage />);
  await fromMenu('dana@larkfield.example', 'ID Proofing');
  const proof = await dialog('User Identity Proofing');
  expect(await within(proof).findByText('Licence.pdf')).toBeInTheDocument();
  expect(within(proof).getByRole('link', { name: 'Review' })).toHaveAttribute('href', '/admin/proofing/u0');
  expect(within(proof).getByRole('button', { name: 'Download' })).toBeInTheDocument();
  await press('Reset Submission', proof);
  await press('Reset', await dialog('Reset Manual ID Submission'));
  await waitFor(() => expect(reset).toHaveLength(1));
  fireEvent.change(within(proof).getByLabelText('Reason (sent to the person)'), { target: { value: 'It has expired.' } });
  await userEvent.click(within(proof).getByRole('checkbox', { name: 'Tell the person by e-mail' }));
  await press('Save', proof);
  expect(await screen.findByText('Users Identity Proofing Status has been updated.')).toBeInTheDocument();
  expect(decided.map(({ body }) => body)).toEqual([{ userId: 'u0', passed: false, sendEmail: true, reason: 'It has expired.' }]);
});

/** Opens the form of the only user; returns the requests that it sends. */
async function editing(over: Partial<Account>) {
  list({ ...(over as Partial<AdminUserRow>) });
  const read = { phoneNumber: '', twoFactorEnabled: false, lockoutEnabled: false, userPreferences: { emailNewMessages: true }, ...over };
  account(read as Partial<Account>);
  const sent = answer('put', '/api/admin/users/{id}', {} as never);
  renderScreen(<UsersPage />);
  await fromMenu('dana@larkfield.example', 'Edit');
  const form = await dialog('Edit user');
  await within(form).findByRole('textbox', { name: /^First name/ });
  return { form, sent, save: () => press('Save Changes', form) };
}

test('of an account only what was changed is sent: a lock or a second step set since stays (ADA-C-063)', async () => {
  const { form, sent, save } = await editing({});
  fill(/^Last name/, 'Aldane', form);
  await save();
  await waitFor(() => expect(sent).toHaveLength(1));
  expect(sent[0]!.body).toEqual({
    userName: user.userName,
    email: user.email,
    firstName: 'Dana',
    lastName: 'Aldane',
    phoneNumber: '',
    version: 1,
  });
});

test('a lock is lifted and a second step removed where they were switched off (ADA-S-039)', async () => {
  const { form, sent, save } = await editing({ twoFactorEnabled: true, lockoutEnabled: true });
  for (const name of [/^Two-factor/, /^Locked out/]) fireEvent.click(within(form).getByRole('checkbox', { name }));
  await save();
  expect(await within(form).findByText('Please choose how you made sure who is asking.')).toBeInTheDocument();
  await choose(/^How did you make sure who is asking/, 'In person, and I know them', form);
  await save();
  await waitFor(() => expect(sent).toHaveLength(1));
  expect(sent[0]!.body).toMatchObject({ twoFactorEnabled: false, lockoutEnabled: false, identityProof: 'InPerson' });
});

test('an address by which somebody signs in changes with the password of whoever changes it', async () => {
  const { form, sent, save } = await editing({});
  expect(within(form).queryByLabelText(/^Your password/)).toBeNull();
  fill(/^E-mail/, 'dana@elsewhere.example', form);
  await save();
  expect(await within(form).findByText('Please enter your password.')).toBeInTheDocument();
  fireEvent.change(within(form).getByLabelText(/^Your password/), { target: { value: 'my own' } });
  await save();
  await waitFor(() => expect(sent).toHaveLength(1));
  expect(sent[0]!.body).toMatchObject({ email: 'dana@elsewhere.example', ownPassword: 'my own' });
});

test('an administrator has a status of proof, which is changed with the account (ADA-R-270)', async () => {
  const { form, sent, save } = await editing({});
  const status = within(form).getByRole('combobox', { name: /^ID proofing status/ });
  expect(status).toHaveValue('Passed: I know this person');
  expect(status).toBeRequired();
  await choose(/^ID proofing status/, 'Not passed: the person must submit a photo ID', form);
  await save();
  await waitFor(() => expect(sent).toHaveLength(1));
  expect(sent[0]!.body).toMatchObject({ idProofStatus: 'NotPassed' });
});

test('of somebody who administers nothing no proof is required, and the list says so (ADA-R-270)', async () => {
  const { form } = await editing({ roleName: 'User', isOrgAdmin: false, idProofStatus: null });
  expect(within(form).getByRole('textbox', { name: 'ID proofing status' })).toHaveValue('Not required');
  expect(rowOf('dana@larkfield.example')).toHaveTextContent('Not required');
});

test('a new administrator needs a status of proof, and a new user none (ADA-R-270)', async () => {
  list({});
  jobs();
  renderScreen(<UsersPage />);
  await press('Create');
  const form = await dialog('New user');
  await choose(/^Type/, 'User of an organization', form);
  expect(within(form).queryByLabelText(/^ID proofing status/)).toBeNull();
  await choose(/^Role/, 'User', form);
  expect(within(form).getByRole('textbox', { name: 'ID proofing status' })).toHaveValue('Not required');
  await choose(/^Role/, 'Administrator', form);
  await press('Create', form);
  expect(await within(form).findByText('ID proofing status is required.')).toBeInTheDocument();
});
