import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { setToken } from '@/api/token';
import { answer, refusal } from '@/test/answers';
import { renderScreen } from '@/test/render';
import { ProfilePage } from './ProfilePage';

const ended = vi.hoisted(() => vi.fn());
const person = vi.hoisted(() => ({ userId: 'u', roles: ['User'], organizationId: null, authStrategy: 'password' }));
vi.mock('@/app/session', async () => {
  const { QueryClient } = await import('@tanstack/react-query');
  const profileQuery = { queryKey: ['session', 'profile'] };
  return { useProfile: () => person, profileQuery, queryClient: new QueryClient(), expireSession: ended };
});

const saved = {
  userName: 'ida@carepost.example',
  email: 'ida@carepost.example',
  firstName: 'Ida',
  lastName: 'Quill',
  phoneNumber: '',
  version: 2,
};
const mails = { emailNewMessages: false, emailUnprocessedMessages: false, emailUnassignedMessages: true, emailFailedMessagesDigest: false };
const chrome = 'Mozilla/5.0 (X11; Linux x86_64) Chrome/141.0.0.0 Safari/537.36';
const session = (id: string, isCurrent: boolean, userAgent = chrome) => ({
  id,
  isCurrent,
  userAgent,
  sourceIp: '203.0.113.9',
  createdAt: '2026-11-20T09:00:00Z',
  lastUsedAt: '2026-11-20T10:00:00Z',
});
const factor = { hasAuthenticator: false, emailCodes: false, passkeys: [], recoveryCodes: 0, emailAddress: 'ida@carepost.example' };

beforeEach(() => {
  setToken({ accessToken: 't', expiresIn: 900 });
  vi.clearAllMocks();
  person.authStrategy = 'password';
  answer('get', '/api/account/profile', saved);
  answer('get', '/api/account/secondfactor', { ...factor, isRequired: false, passkeysAvailable: true });
  answer('get', '/api/account/preferences', mails);
  answer('get', '/api/account/sessions', { items: [session('here', true), session('there', false)] });
});

const show = async () => {
  renderScreen(<ProfilePage />, '/account/profile');
  await screen.findByText('This session');
  await screen.findByRole('button', { name: 'Save profile' });
};
const press = (name: string | RegExp, where: HTMLElement = document.body) =>
  fireEvent.click(within(where).getByRole('button', { name, hidden: true }));
const field = (name: string) => screen.getByRole('textbox', { name, hidden: true });
const fill = (name: string, value: string) => fireEvent.change(field(name), { target: { value } });

test('a profile has a name, and is saved as it is based on', async () => {
  const sent = answer('put', '/api/account/profile', { ...saved, version: 3 });
  await show();
  fill('First name', ' ');
  press('Save profile');
  expect(await screen.findByText('First Name is required.')).toBeVisible();
  fill('First name', 'Idun');
  press('Save profile');
  expect(await screen.findByText('Your profile was saved.')).toBeVisible();
  expect(sent.map((s) => s.body)).toEqual([expect.objectContaining({ firstName: 'Idun', lastName: 'Quill', version: 2 })]);
});

test('a wish to be told by e-mail is saved as it is chosen', async () => {
  const sent = answer('put', '/api/account/preferences', { ...mails, emailNewMessages: true });
  await show();
  const wish = await screen.findByRole('switch', { name: /^New messages/ });
  expect(wish).not.toBeChecked();
  fireEvent.click(wish);
  await waitFor(() => expect(wish).toBeChecked());
  await waitFor(() => expect(sent.map((s) => s.body)).toEqual([{ emailNewMessages: true }]));
});

const END = '/api/account/sessions/{id}/end';

test('another session is ended by itself, with the password', async () => {
  refusal('post', END, 422, { modelState: { password: ['The password is incorrect.'] } });
  await show();
  press(/^Sign out Chrome on Linux, 203\.0\.113\.9$/);
  const question = await screen.findByRole('dialog', { name: 'Sign out' });
  press('Sign out', question);
  expect(await screen.findByText('Please enter your password.')).toBeVisible();
  expect(within(question).queryByText(/^No password/)).toBeNull();
  fireEvent.change(within(question).getByLabelText(/^Your password/), { target: { value: 'mine' } });
  press('Sign out', question);
  expect(await screen.findByText('The password is incorrect.')).toBeVisible();
  const removed = answer('post', END, null);
  press('Sign out', question);
  expect(await screen.findByText('The session has ended.')).toBeVisible();
  expect(removed.map((r) => [r.path.id, r.body])).toEqual([['there', { password: 'mine' }]]);
  expect(ended).not.toHaveBeenCalled();
});

test('all sessions end after a question, this one too', async () => {
  const removed = answer('post', '/api/account/sessions/end', null);
  await show();
  press('Sign out everywhere');
  const question = await screen.findByRole('dialog', { name: 'Sign out everywhere' });
  expect(question).toHaveTextContent('2 sessions');
  fireEvent.change(within(question).getByLabelText(/^Your password/), { target: { value: 'mine' } });
  press('Sign out everywhere', question);
  await waitFor(() => expect(ended).toHaveBeenCalledWith('You signed out everywhere.'));
  expect(removed).toHaveLength(1);
});

test('who came by single sign-on ends sessions with a code by e-mail', async () => {
  person.authStrategy = 'sso';
  answer('post', '/api/users/{id}/sendcode', null);
  const removed = answer('post', '/api/account/sessions/end', null);
  await show();
  press('Sign out everywhere');
  const question = await screen.findByRole('dialog', { name: 'Sign out everywhere' });
  press('No password? Send a code by e-mail', question);
  fireEvent.change(await within(question).findByLabelText(/^Code by e-mail/), { target: { value: ' 123456 ' } });
  press('Sign out everywhere', question);
  await waitFor(() => expect(removed.map((r) => r.body)).toEqual([{ code: '123456' }]));
});

test('a wrong password is said where a second step is set up, and the secret follows a right one', async () => {
  const PATH = '/api/account/secondfactor/authenticator';
  refusal('post', PATH, 422, { modelState: { password: ['The password is incorrect.'] } });
  await show();
  press('Set up');
  const setup = await screen.findByRole('dialog', { name: 'Set up an authenticator app' });
  fireEvent.change(within(setup).getByLabelText(/^Your password/), { target: { value: 'wrong' } });
  press('Continue', setup);
  expect(await screen.findByText('The password is incorrect.')).toBeVisible();
  answer('post', PATH, { challenge: 'c', secret: 'ABCDEFGH', uri: 'otpauth://totp/x', qrSvg: '<svg/>' });
  press('Continue', setup);
  expect(await screen.findByRole('img', { name: 'QR code of the secret' })).toBeInTheDocument();
  expect(document.querySelector('[data-secret]')).toHaveTextContent('ABCD EFGH');
});
