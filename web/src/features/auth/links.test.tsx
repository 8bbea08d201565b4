import { focusManager } from '@tanstack/react-query';
import { act, fireEvent, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse, http } from 'msw';
import type { ReactNode } from 'react';
import { beforeEach, expect, test, vi } from 'vitest';
import { answer, refusal } from '@/test/answers';
import { renderApp } from '@/test/render';
import { server } from '@/test/setup';
import { ConfirmRegistrationPage } from './ConfirmRegistrationPage';
import { SetPasswordPage } from './SetPasswordPage';

vi.mock('./AuthFrame', () => ({ AuthFrame: ({ children }: { children: ReactNode }) => children }));
vi.mock('@/shared/ui/AppLink', () => ({ AppLink: ({ children }: { children: ReactNode }) => children, useGo: () => () => {} }));

const WORDS = 'Something went wrong. Please try again.';
const LINK = '*/api/account/password/link';
const REGISTRATION = '*/api/account/register/link';
const CONFIRM = '*/api/account/register/confirm';
const state = { purpose: 'reset' as const, userName: 'dana', shortest: 15 };
const registration = { organization: 'Quayside Pediatrics', userName: 'fern', shortest: 4 };
const button = (name: string) => screen.findByRole('button', { name });

beforeEach(() => {
  window.location.hash = '#token';
});

test('a password being typed stays, whatever happens to the link', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  try {
    server.use(http.post(LINK, () => HttpResponse.json(state), { once: true }));
    renderApp(<SetPasswordPage />);
    const field = await screen.findByLabelText(/^New password/);
    await userEvent.type(field, 'harbor');
    const again = vi.fn(() => HttpResponse.error());
    server.use(http.post(LINK, again));
    vi.setSystemTime(Date.now() + 3_600_000);
    act(() => {
      focusManager.setFocused(false);
      focusManager.setFocused(true);
    });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(again).not.toHaveBeenCalled();
    expect(field).toHaveValue('harbor');
  } finally {
    focusManager.setFocused(undefined);
    vi.useRealTimers();
  }
});

test('a link that could not be checked can be checked again', async () => {
  server.use(
    http.post(LINK, () => HttpResponse.error(), { once: true }),
    http.post(LINK, () => HttpResponse.json(state)),
  );
  renderApp(<SetPasswordPage />);
  expect(await screen.findByText(WORDS)).toBeInTheDocument();
  expect(screen.queryByRole('button', { name: 'Send me a new link' })).toBeNull();
  await userEvent.click(await button('Try again'));
  expect(await button('Set the password')).toBeInTheDocument();
});

test('a link that the server refuses offers a new one', async () => {
  server.use(http.post(LINK, () => HttpResponse.json({ message: 'This link was used already.' }, { status: 409 })));
  renderApp(<SetPasswordPage />);
  expect(await screen.findByText('This link was used already.')).toBeInTheDocument();
  expect(await button('Send me a new link')).toBeInTheDocument();
  expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull();
});

test('a registration that could not be checked can be checked again, and typed text survives a failure', async () => {
  server.use(
    http.post(REGISTRATION, () => new HttpResponse(null, { status: 503 }), { once: true }),
    http.post(REGISTRATION, () => HttpResponse.json(registration)),
    http.post(CONFIRM, () => HttpResponse.error(), { once: true }),
    http.post(CONFIRM, () => HttpResponse.json({ userName: 'fern' })),
  );
  renderApp(<ConfirmRegistrationPage />);
  await userEvent.click(await button('Try again'));
  expect(await screen.findByText('Quayside Pediatrics')).toBeInTheDocument();
  for (const field of screen.getAllByLabelText(/new password/i)) await userEvent.type(field, 'tram');
  await userEvent.click(await button('Open the account'));
  expect(await screen.findByText(WORDS)).toBeInTheDocument();
  await userEvent.click(await button('Open the account'));
  expect(await screen.findByText(/Please sign in as fern/)).toBeInTheDocument();
});

test('a refused registration starts over', async () => {
  server.use(http.post(REGISTRATION, () => HttpResponse.json({ message: 'No.' }, { status: 404 })));
  renderApp(<ConfirmRegistrationPage />);
  expect(await button('Register again')).toBeInTheDocument();
  expect(screen.getByText('This link is incomplete or invalid.')).toBeInTheDocument();
});

test('a new password is long, written twice alike, and refused at its field', async () => {
  const refused = 'Please choose a password without your name.';
  answer('post', '/api/account/password/link', state);
  const sent = refusal('post', '/api/account/password/set', 422, { modelState: { password: [refused] } });
  renderApp(<SetPasswordPage />);
  const save = await button('Set the password');
  const [first, again] = screen.getAllByLabelText(/new password/i);
  const fill = (one: string, other: string) => {
    fireEvent.change(first!, { target: { value: one } });
    fireEvent.change(again!, { target: { value: other } });
    fireEvent.click(save);
  };
  fill('fourteen chars', 'other');
  expect(await screen.findByText('Please use at least 15 characters.')).toBeVisible();
  expect(screen.getByText('The two passwords differ.')).toBeVisible();
  expect(sent).toHaveLength(0);
  fill('fifteen letters', 'fifteen letters');
  expect(await screen.findByText(refused)).toBeVisible();
  expect(sent.map((s) => s.body)).toEqual([{ token: 'token', password: 'fifteen letters' }]);
});
