import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import type { ReactElement, ReactNode } from 'react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Challenge, DemoAccount } from '@/api/types';
import { expireSession, returnFromProvider, setNavigator } from '@/app/session';
import { type AnswerOf, answer, refusal } from '@/test/answers';
import { renderScreen } from '@/test/render';
import { ForgotPasswordPage } from './ForgotPasswordPage';
import { AuthErrorPage } from './pages';
import { ProviderPage } from './ProviderPage';
import { RegisterPage } from './RegisterPage';
import { SecondStep } from './SecondStep';
import { SignInPage } from './SignInPage';

const brand = vi.hoisted(() => ({ now: {} as Partial<AnswerOf<'get', '/api/branding'>> }));
vi.mock('./AuthFrame', () => ({
  AuthFrame: ({ title, children }: { title: string; children: ReactNode }) => (
    <>
      <h1>{title}</h1>
      {children}
    </>
  ),
}));
vi.mock('@/app/branding', async (original) => ({ ...(await original<object>()), useBranding: () => brand.now }));

beforeEach(() => {
  brand.now = { registration: true };
});
afterEach(() => vi.useRealTimers());

const show = async (ui: ReactElement, address = '/account/login') => {
  const router = renderScreen(ui, address);
  await screen.findByRole('heading', { level: 1 });
  return router;
};
const press = (name: string | RegExp) => fireEvent.click(screen.getByRole('button', { name }));
const field = (name: string) => screen.getByLabelText(new RegExp(`^${name}( \\*)?$`));
const fill = (name: string, value: string) => fireEvent.change(field(name), { target: { value } });

test('a wrong password is said in the form, and what was typed stays', async () => {
  const sent = refusal('post', '/api/account/login', 401, { message: 'The user name or password is incorrect.' });
  await show(<SignInPage />);
  fill('Username', ' rita@carepost.example ');
  fill('Password', 'wrong');
  press('Sign in');
  expect(await screen.findByText('The user name or password is incorrect.')).toBeVisible();
  expect(field('Username')).toHaveValue(' rita@carepost.example ');
  expect(field('Password')).toHaveFocus();
  expect(sent[0]!.body).toEqual({ userName: 'rita@carepost.example', password: 'wrong' });
});

test('a sign-in needs a username and a password', async () => {
  await show(<SignInPage />);
  press('Sign in');
  expect(await screen.findByText('Please enter your username.')).toBeVisible();
  expect(screen.getByText('Please enter your password.')).toBeVisible();
  expect(field('Username')).toHaveFocus();
});

test('an account of the demonstration fills the form in', async () => {
  const sam: DemoAccount = { userName: 'sam@carepost.example', password: 'known', role: 'Administrator', organization: 'Summit' };
  brand.now = { demoAccounts: [sam] };
  await show(<SignInPage />);
  press(/sam@carepost\.example/);
  await waitFor(() => expect(field('Username')).toHaveValue('sam@carepost.example'));
  expect(field('Password')).toHaveValue('known');
});

test('who was signed out by the server reads why', async () => {
  setNavigator({ go: () => {}, here: () => '/intake', reload: async () => {} });
  expireSession();
  await show(<SignInPage />);
  expect(screen.getByText('Your session has ended. Sign in to pick up where you left off.')).toBeVisible();
});

const challenge: Challenge = { challenge: 'c', methods: ['app', 'recovery'], email: 'm•••@c•••.example' };
const second = async (over: Partial<Challenge> = {}) => {
  const onOver = vi.fn();
  renderScreen(<SecondStep challenge={{ ...challenge, ...over }} onOver={onOver} />);
  await screen.findByRole('list', { name: 'Other ways' });
  return onOver;
};

test('a code has six digits, and is sent without its blanks', async () => {
  const sent = refusal('post', '/api/account/login/code', 422, { message: 'This code is wrong or was already used.' });
  await second();
  expect(field('Code')).toHaveAttribute('autocomplete', 'one-time-code');
  fill('Code', '12');
  press('Sign in');
  expect(await screen.findByText('The code has 6 digits.')).toBeVisible();
  fill('Code', '123 456');
  press('Sign in');
  expect(await screen.findByText('This code is wrong or was already used.')).toBeVisible();
  expect(sent.map((s) => s.body)).toEqual([{ challenge: 'c', method: 'app', code: '123456' }]);
});

test('another way is chosen from a list, and a challenge that is over starts the sign-in anew', async () => {
  const sent = refusal('post', '/api/account/login/code', 401, { message: 'Please sign in again.' });
  const over = await second();
  press('Use a recovery code');
  press('Sign in');
  expect(await screen.findByText('Please enter the code.')).toBeVisible();
  fill('Recovery code', 'abcd-efgh');
  press('Sign in');
  await waitFor(() => expect(over).toHaveBeenCalledWith('Please sign in again.'));
  expect(sent[0]!.body).toMatchObject({ method: 'recovery', code: 'abcd-efgh' });
});

test('a code by e-mail is sent at once, and again only after a while', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  const sent = answer('post', '/api/account/login/email', { resendAfter: 30 });
  await second({ methods: ['email'] });
  expect(screen.getByText('Enter the code that we sent to m•••@c•••.example.')).toBeVisible();
  const again = await screen.findByRole('button', { name: /^Send another code \(in \d+ s\)$/ });
  expect(again).toBeDisabled();
  for (let s = 0; s < 31; s++) await act(() => vi.advanceTimersByTimeAsync(1000));
  expect(again).toBeEnabled();
  expect(sent).toHaveLength(1);
  press('Send another code');
  await waitFor(() => expect(sent).toHaveLength(2));
});

test('a forgotten password is asked for by the username', async () => {
  const sent = answer('post', '/api/account/password/forgot', {
    message: 'If there is an account with this user name, a link is on its way.',
  });
  await show(<ForgotPasswordPage />);
  press('Send the link');
  expect(await screen.findByText('Please enter your username.')).toBeVisible();
  fill('Username', 'jo@carepost.example ');
  press('Send the link');
  expect(await screen.findByText(/If there is an account with this user name/)).toBeVisible();
  expect(sent.map((s) => s.body)).toEqual([{ userName: 'jo@carepost.example' }]);
});

const REQUIRED = 'Please enter a valid value for this field.';

test('a registration needs a username that is an e-mail address, and everything else that is marked (SES-R-281, SES-T-071)', async () => {
  answer('get', '/api/account/register/options', { types: [], specialties: [] });
  const sent = answer('post', '/api/account/register', { message: '' });
  await show(<RegisterPage />, '/account/register');
  fill('Username', 'dana');
  press('Register');
  expect(await screen.findByText('Username is not valid')).toBeVisible();
  // The practice has eight such fields, the person two, and their telephone one.
  expect(screen.getAllByText(REQUIRED)).toHaveLength(11);
  expect(sent).toHaveLength(0);
});

test('a subdomain that is taken or reserved is told while it is typed', async () => {
  answer('get', '/api/account/register/options', { types: [], specialties: [] });
  const asked = answer('post', '/api/account/register/subdomain', ({ body }) => ({ isAvailable: body.subDomain !== 'larkfield' }));
  await show(<RegisterPage />, '/account/register');
  fill('Subdomain', 'larkfield');
  fireEvent.blur(field('Subdomain'));
  expect(await screen.findByText(/^This subdomain already exists, contains invalid characters or is a reserved word/)).toBeVisible();
  fill('Subdomain', 'quayside');
  expect(await screen.findByText('This subdomain is available.')).toBeVisible();
  expect(asked.map((a) => a.body.subDomain)).toEqual(['larkfield', 'quayside']);
});

test('where nobody registers there is no form', async () => {
  brand.now = { registration: false };
  await show(<RegisterPage />, '/account/register');
  expect(screen.getByText('New practices are registered by the operator of this installation.')).toBeVisible();
});

test('an unknown connection is said, and the password is offered instead, without the connection', async () => {
  sessionStorage.setItem('carepost.ssoConnection', 'nowhere');
  const sent = refusal('post', '/api/account/sso', 404, { message: 'There is no single sign-on with this name.' });
  const router = await show(<ProviderPage connection="nowhere" />, '/account/login/nowhere');
  expect(sent).toHaveLength(0);
  press('Continue with nowhere');
  expect(await screen.findByText('There is no single sign-on with this name.')).toBeVisible();
  expect(sent.map((s) => s.body)).toEqual([{ connection: 'nowhere' }]);
  fireEvent.click(screen.getByRole('link', { name: 'Sign in with a password' }));
  await waitFor(() => expect(router.state.location.pathname).toBe('/account/login'));
  expect(sessionStorage.getItem('carepost.ssoConnection')).toBeNull();
});

test('a sign-in by a provider that failed is tried again by the same provider (SES-S-012)', async () => {
  sessionStorage.setItem('carepost.ssoConnection', 'quarry-ehr');
  const router = await show(<AuthErrorPage />, '/auth-error');
  expect(screen.getByRole('heading', { name: 'Sign-in did not work' })).toBeVisible();
  press('Try again');
  await waitFor(() => expect(router.state.location.pathname).toBe('/account/login/quarry-ehr'));
});

test('a second step that is asked for after the provider is taken where one came from', async () => {
  answer('post', '/api/account/sso/callback', challenge);
  const target = await returnFromProvider({ organization: 'o', state: 's', code: 'c' });
  expect(target).toBe('/account/login');
  await show(<ProviderPage connection="alder" />, '/account/login/alder');
  expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent('One more step');
  expect(field('Code')).toBeVisible();
  refusal('post', '/api/account/login/code', 401, { message: 'This sign-in has ended. Please begin again.' });
  fill('Code', '123456');
  press('Sign in');
  expect(await screen.findByText('This sign-in has ended. Please begin again.')).toBeVisible();
  expect(screen.getByRole('button', { name: 'Continue with alder' })).toBeVisible();
});
