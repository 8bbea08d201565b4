import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse, http } from 'msw';
import { beforeEach, expect, test, vi } from 'vitest';
import { setToken } from '@/api/token';
import { answer, refusal } from '@/test/answers';
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

const noSources = () => answer('get', '/api/documentsources/release', { items: [] });
test('an invitation that is not whole is not sent, and names all that is missing (SES-S-055, SES-T-035, SES-T-036, SES-T-037, SES-T-039, SES-R-176, SES-R-177, SES-R-178, SES-R-179, SES-R-181, SES-R-182, SES-R-183, SES-R-185, SES-R-186, SES-R-187)', async () => {
  noSources();
  const asked = answer('post', '/api/users/sendinvitation', { message: 'Invitation has been sent.' });
  renderApp(<InviteDialog onClose={() => {}} />);
  expect(screen.getByRole('dialog', { name: 'Build Your Network' })).toBeInTheDocument();
  expect(screen.getByRole('combobox', { name: 'Share Your Direct Address' })).toHaveAccessibleDescription('Optional');
  expect(screen.getByText('A copy of the invitation is sent to your own email address.')).toBeInTheDocument();
  expect(screen.getByRole('button', { name: 'Cancel' })).toBeInTheDocument();
  await userEvent.click(send());
  expect(await screen.findByText('Full name is required.')).toBeInTheDocument();
  expect(screen.getByText('Email address is required.')).toBeInTheDocument();
  expect(screen.getByLabelText(/^To/)).toBeInvalid();
  expect(screen.getByLabelText(/^Email address/)).toBeInvalid();
  await sendTo('Rowan', 'rowan@');
  expect(await screen.findByText('Please enter a valid email address.')).toBeInTheDocument();
  expect(screen.queryByText('Full name is required.')).toBeNull();
  expect(screen.getByLabelText(/^Email address/)).toBeInvalid();
  expect(asked).toHaveLength(0);
});

test('an invitation is sent with the address that is shared, and closes (SES-C-018, SES-T-076, SES-R-188, SES-R-189, SES-R-192, SES-R-195)', async () => {
  server.use(http.get(ADDRESSES, () => HttpResponse.json({ items: [{ fullAddress: 'records@x.example' }] })));
  const asked = answer('post', '/api/users/sendinvitation', { message: 'Invitation has been sent.' });
  const onClose = vi.fn();
  renderApp(<InviteDialog onClose={onClose} />);
  await waitFor(async () => expect(await addressField()).toBeEnabled());
  await userEvent.type(await addressField(), 'rec');
  await userEvent.tab();
  await sendTo('Rowan Aldane', 'rowan@x.example');
  expect(await screen.findByText('Invitation has been sent.')).toBeInTheDocument();
  expect(asked.map(({ body }) => body)).toEqual([
    { fullName: 'Rowan Aldane', emailAddress: 'rowan@x.example', directAddress: 'records@x.example' },
  ]);
  expect(onClose).toHaveBeenCalledTimes(1);
});

test('an invitation that fails says so and stays as it was typed (SES-T-075, SES-R-193, SES-R-194)', async () => {
  noSources();
  refusal('post', '/api/users/sendinvitation', 500);
  const onClose = vi.fn();
  renderApp(<InviteDialog onClose={onClose} />);
  await sendTo('Rowan Aldane', 'rowan@x.example');
  expect(await screen.findByText('An error occurred while sending the invitation.')).toBeInTheDocument();
  expect(screen.getByLabelText(/^Email address/)).toHaveValue('rowan@x.example');
  await waitFor(() => expect(send()).toBeEnabled());
  expect(onClose).not.toHaveBeenCalled();
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
