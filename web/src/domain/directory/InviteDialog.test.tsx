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

const send = () => screen.getByRole('button', { name: 'Send' });
const sendTo = async (name: string, address: string) => {
  await userEvent.type(screen.getByLabelText(/^To/), name);
  await userEvent.type(screen.getByLabelText(/^Email address/), address);
  await userEvent.click(send());
};

test('sending without anything names all that is missing (SES-R-178, SES-R-185)', async () => {
  server.use(http.get(ADDRESSES, () => HttpResponse.json({ items: [] })));
  renderApp(<InviteDialog onClose={() => {}} />);
  expect(screen.getByRole('button', { name: 'Cancel' })).toBeInTheDocument();
  await userEvent.click(send());
  expect(await screen.findByText('Full name is required.')).toBeInTheDocument();
  expect(screen.getByText('Email address is required.')).toBeInTheDocument();
});

test('an invitation needs no Direct address, and cannot be sent twice while it is under way (SES-R-184, SES-R-190, SES-R-191)', async () => {
  server.use(http.get(ADDRESSES, () => HttpResponse.json({ items: [] })));
  let answer = () => {};
  const sent: unknown[] = [];
  server.use(
    http.post('*/api/users/sendinvitation', async ({ request }) => {
      sent.push(await request.json());
      await new Promise<void>((done) => {
        answer = done;
      });
      return HttpResponse.json({ message: 'The invitation was sent.' });
    }),
  );
  let isClosed = false;
  renderApp(<InviteDialog onClose={() => (isClosed = true)} />);
  await sendTo('Jun Park', 'jun@x.example');
  await expect.poll(() => sent).toEqual([{ fullName: 'Jun Park', emailAddress: 'jun@x.example', directAddress: '' }]);
  expect(send()).toBeDisabled();
  expect(send()).toHaveAttribute('data-loading');
  await userEvent.keyboard('{Control>}{Enter}{/Control}');
  answer();
  await expect.poll(() => isClosed).toBe(true);
  expect(sent).toHaveLength(1);
});
