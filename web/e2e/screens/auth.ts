import { expect } from '../support';
import { area, button, heading, unroute, type View } from './kit';

/** Screens before and outside a session. */
export const auth = area({
  '/': { as: 'dana', path: () => '/', leadsTo: /\/account\/dashboard$/ },
  '/$': { as: 'priya', path: () => '/no/such/page', leadsTo: /\/intake$/ },
  '/callback/': { as: 'dana', path: () => '/callback', leadsTo: /\/account\/dashboard$/ },
  '/callback/$organization': {
    as: 'nobody',
    path: () => '/callback/0198f1aa-7a10-7000-8000-000000000001?state=unknown&code=unknown',
    leadsTo: /\/auth-error$/,
  },
  '/access-denied': { as: 'nobody', path: () => '/access-denied', ready: heading('Access denied') },
  '/auth-error': { as: 'nobody', path: () => '/auth-error', ready: heading('Sign-in did not work') },
  '/unauthorized': { as: 'priya', path: () => '/unauthorized', ready: heading('Not authorized') },
  '/demo/mailbox': {
    as: 'nobody',
    path: () => '/demo/mailbox',
    ready: (page) => page.getByRole('navigation', { name: 'E-mails' }).or(page.getByRole('heading', { name: 'No e-mail yet' })),
  },
  '/unsupportedbrowser': { as: 'nobody', path: () => '/unsupportedbrowser', ready: heading('This browser is too old') },
  '/setup': { as: 'nobody', path: () => '/setup#none', ready: heading('Set up this installation') },
  '/account/login/': {
    as: 'nobody',
    path: () => '/account/login',
    ready: (page) => button(page, 'Sign in'),
    views: [
      {
        name: 'fields to fill in',
        show: async (page) => {
          await button(page, 'Sign in').click();
          await expect(page.getByText('Please enter your username.')).toBeVisible();
        },
      },
      ...(['app', 'email', 'recovery'] as const).map(
        (method): View => ({
          name: `second step: ${method}`,
          fresh: true,
          show: async (page) => {
            const challenge = { challenge: 'x', methods: [method, 'app', 'recovery'].filter((m, i, all) => all.indexOf(m) === i) };
            await page.route('**/api/account/login', (route) => route.fulfill({ json: { ...challenge, email: 'd•••@c•••.example' } }));
            await page.route('**/api/account/login/email', (route) => route.fulfill({ json: { resendAfter: 30 } }));
            await page.getByLabel('Username').fill('dana@carepost.example');
            await page.getByRole('textbox', { name: 'Password' }).fill('something');
            await button(page, 'Sign in').click();
            await expect(heading('One more step')(page)).toBeVisible();
            await button(page, 'Sign in').click();
            await expect(page.getByText(method === 'recovery' ? 'Please enter the code.' : 'The code has 6 digits.')).toBeVisible();
          },
          after: unroute,
        }),
      ),
    ],
  },
  '/account/login/$connection': {
    as: 'nobody',
    path: () => '/account/login/clinic',
    ready: (page) => button(page, 'Continue with clinic'),
    views: [
      {
        name: 'unknown',
        show: async (page) => {
          await button(page, 'Continue with clinic').click();
          await expect(page.getByText('There is no single sign-on with this name.')).toBeVisible();
        },
      },
    ],
  },
  '/account/logout': { as: 'nobody', path: () => '/account/logout', ready: heading('You are signed out') },
  '/account/forgot': {
    as: 'nobody',
    path: () => '/account/forgot',
    ready: heading('Forgot your password?'),
    views: [
      {
        name: 'sent',
        show: async (page) => {
          const message = 'If there is an account with this user name, an e-mail is on its way to it.';
          await page.route('**/api/account/password/forgot', (route) => route.fulfill({ json: { message } }));
          await page.getByLabel('Username').fill('nobody@carepost.example');
          await button(page, 'Send the link').click();
          await expect(page.getByText(message)).toBeVisible();
        },
        after: unroute,
      },
    ],
  },
  '/account/password': {
    as: 'nobody',
    path: () => '/account/password',
    ready: (page) => button(page, 'Send me a new link'),
    views: [
      {
        name: 'new password',
        show: async (page) => {
          const state = { purpose: 'reset', userName: 'dana@carepost.example', shortest: 15 };
          await page.route('**/api/account/password/link', (route) => route.fulfill({ json: state }));
          await page.goto('/account/login');
          await page.goto('/account/password#token');
          await button(page, 'Set the password').click();
          await expect(page.getByText('Please use at least 15 characters.')).toBeVisible();
        },
        after: async (page) => {
          await unroute(page);
          await page.goto('/account/login');
        },
      },
    ],
  },
  '/account/register/': {
    as: 'nobody',
    path: () => '/account/register',
    ready: (page) => button(page, 'Register'),
    views: [
      {
        name: 'fields to fill in',
        show: async (page) => {
          await button(page, 'Register').click();
          await expect(page.getByText('Username is not valid')).toBeVisible();
        },
      },
    ],
  },
  '/account/register/confirm': {
    as: 'nobody',
    path: () => '/account/register/confirm',
    ready: (page) => button(page, 'Register again'),
    views: [
      {
        name: 'new password',
        show: async (page) => {
          const link = { organization: 'Quayside Pediatrics', userName: 'dana@quayside.example', shortest: 15 };
          await page.route('**/api/account/register/link', (route) => route.fulfill({ json: link }));
          await page.goto('/account/login');
          await page.goto('/account/register/confirm#token');
          await button(page, 'Open the account').click();
          await expect(page.getByText('Please use at least 15 characters.')).toBeVisible();
        },
        after: async (page) => {
          await unroute(page);
          await page.goto('/account/login');
        },
      },
    ],
  },
});
