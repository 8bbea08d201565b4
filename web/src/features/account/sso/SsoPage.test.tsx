import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { setToken } from '@/api/token';
import type { SsoConnection } from '@/api/types';
import { queryClient } from '@/app/session';
import { answer, refusal } from '@/test/answers';
import { renderApp } from '@/test/render';
import { SsoPage } from './SsoPage';

const PATH = '/api/account/settings/sso';
const redirectAddress = 'https://carepost.example/callback/o';
const connection: SsoConnection = {
  name: 'quarry-ehr',
  issuer: 'https://login.quarry.example',
  clientId: 'carepost',
  hasClientSecret: true,
  isEnabled: true,
  acrValues: '',
  maxAgeMinutes: null,
  signInAddress: 'https://carepost.example/account/login/quarry-ehr',
  linkedPeople: 1,
  version: 3,
};

beforeEach(() => {
  setToken({ accessToken: 't', expiresIn: 900 });
  queryClient.clear();
});

const show = async (saved: SsoConnection | null) => {
  answer('get', PATH, { connection: saved, redirectAddress });
  renderApp(<SsoPage />);
  await screen.findByText(redirectAddress);
};
const press = (name: string, where: HTMLElement = document.body) => fireEvent.click(within(where).getByRole('button', { name }));
const field = (name: string) => screen.getByLabelText(new RegExp(`^${name}( \\*)?$`));
const fill = (name: string, value: string) => fireEvent.change(field(name), { target: { value } });

test('a connection needs a name, an address and a client, and says how they are written', async () => {
  const sent = answer('put', PATH, { connection, redirectAddress });
  await show(null);
  fill('Connection name', 'Quarry EHR');
  fill('Provider address', 'http://login.quarry.example');
  press('Save single sign-on');
  expect(await screen.findByText('Please use 2 to 40 lower-case letters, digits and hyphens.')).toBeVisible();
  expect(screen.getByText(/^Please enter the address of the provider/)).toBeVisible();
  expect(screen.getByText(/^Please enter the client ID/)).toBeVisible();
  expect(sent).toHaveLength(0);
});

test('a provider that does not answer is said at its address', async () => {
  const text = 'No sign-in provider was found at this address, or it cannot be reached from this installation.';
  refusal('put', PATH, 422, { modelState: { issuer: [text] } });
  await show(connection);
  press('Save single sign-on');
  expect(await screen.findByText(text)).toBeVisible();
  expect(field('Provider address')).toHaveAttribute('aria-invalid', 'true');
});

test('a secret that is kept is neither shown nor needed again', async () => {
  const sent = answer('put', PATH, { connection, redirectAddress });
  await show(connection);
  expect(field('Client secret')).toHaveValue('');
  press('Save single sign-on');
  await waitFor(() => expect(sent.at(-1)?.body).toMatchObject({ clientSecret: null, version: 3 }));
  await screen.findByText('Single sign-on was saved.');
  fill('Client secret', 'another');
  press('Save single sign-on');
  await waitFor(() => expect(sent.at(-1)?.body).toMatchObject({ clientSecret: 'another' }));
  await waitFor(() => expect(field('Client secret')).toHaveValue(''));
});

test('a connection is removed after a question, and says who came by it', async () => {
  const removed = answer('delete', PATH, null);
  await show(connection);
  expect(screen.getByText(/1 person signed in with it\./)).toBeVisible();
  press('Remove');
  const question = await screen.findByRole('dialog', { name: 'Remove single sign-on' });
  expect(question).toHaveTextContent('quarry-ehr');
  expect(removed).toHaveLength(0);
  press('Remove', question);
  await vi.waitFor(() => expect(removed).toHaveLength(1));
  expect(await screen.findByText('Single sign-on was removed.')).toBeVisible();
});

test('what the provider is asked for is saved with the connection', async () => {
  const sent = answer('put', PATH, { connection, redirectAddress });
  await show({ ...connection, acrValues: 'urn:example:gold', maxAgeMinutes: 60 });
  expect(field('Multi-factor acr values')).toHaveValue('urn:example:gold');
  expect(field('Sign in again after')).toHaveValue('60');
  fill('Sign in again after', '1441');
  press('Save single sign-on');
  expect(await screen.findByText('Please enter 1 to 1440 minutes, or leave it blank.')).toBeVisible();
  expect(sent).toHaveLength(0);
  fill('Multi-factor acr values', 'phr');
  fill('Sign in again after', '');
  press('Save single sign-on');
  await waitFor(() => expect(sent.at(-1)?.body).toMatchObject({ acrValues: 'phr', maxAgeMinutes: null }));
});
