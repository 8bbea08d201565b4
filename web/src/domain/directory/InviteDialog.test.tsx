import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse, http } from 'msw';
import { beforeEach, expect, test } from 'vitest';
import { setToken } from '@/api/token';
import { held } from '@/test/held';
import { renderApp } from '@/test/render';
import { server } from '@/test/setup';
import { InviteDialog } from './InviteDialog';

const ADDRESSES = '*/api/documentsources/release';
const addressField = () => screen.findByRole('combobox', { name: 'Share Your Direct Address' });

beforeEach(() => setToken({ accessToken: 't', expiresIn: 900 }));

test('the address to share is typed once the addresses are there, so that it is not lost', async () => {
  const answer = held(ADDRESSES, { items: [{ fullAddress: 'records@x.example' }] });
  renderApp(<InviteDialog onClose={() => {}} />);
  const field = await addressField();
  expect(field).toBeDisabled();
  answer();
  await expect.poll(addressField).toBeEnabled();
  await userEvent.type(await addressField(), 'rec');
  await userEvent.tab();
  expect(await addressField()).toHaveValue('records@x.example');
});

test('an invitation says that the addresses to share could not be loaded', async () => {
  server.use(http.get(ADDRESSES, () => HttpResponse.json({ message: 'Not now.' }, { status: 503 })));
  renderApp(<InviteDialog onClose={() => {}} />);
  expect(await screen.findByText('Optional. Your addresses could not be loaded.')).toBeInTheDocument();
  expect(await addressField()).toBeEnabled();
});
