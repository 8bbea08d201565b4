import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test } from 'vitest';
import { setToken } from '@/api/token';
import type { FaxAttempt, FaxDelivery } from '@/api/types';
import { answer, refusal } from '@/test/answers';
import { renderScreen } from '@/test/render';
import { FaxCalls } from './FaxCalls';

const call = (over: Partial<FaxAttempt>): FaxAttempt => ({
  id: 'c1',
  number: 1,
  provider: 'embedded',
  fromNumber: '+17405550110',
  state: 'Finished',
  firstPage: 1,
  pages: 3,
  confirmedPages: 0,
  explanation: "The recipient's line is busy.",
  words: 'BUSY',
  startedAt: '2026-11-20T10:00:00Z',
  endedAt: '2026-11-20T10:00:09Z',
  ...over,
});
const fax = (over: Partial<FaxDelivery>): FaxDelivery => ({
  deliveryId: 'd1',
  toNumber: '740-555-0197',
  fromNumber: '+17405550110',
  pages: 3,
  confirmedPages: 0,
  now: "The recipient's line is busy.",
  nextAt: '2026-11-20T10:05:00Z',
  canSendAgain: false,
  canCancel: true,
  attempts: [call({})],
  ...over,
});

beforeEach(() => setToken({ accessToken: 't', expiresIn: 900 }));
const show = (over: Partial<FaxDelivery> = {}) => renderScreen(<FaxCalls messageId="m1" fax={fax(over)} />);
const press = async (name: string) => userEvent.click(await screen.findByRole('button', { name }));

test('a fax shows its status and its next call; its calls show how they ended, in the words of the provider too', async () => {
  show({ attempts: [call({}), call({ id: 'c2', number: 2, endedAt: null, page: 2, confirmedPages: 1 })] });
  expect(await screen.findByRole('status')).toHaveTextContent(/The recipient's line is busy\..*next call Nov 20/);
  expect(screen.getByRole('progressbar', { name: 'Pages sent' })).toHaveAttribute('aria-valuenow', String(100 / 3));
  await press('Show 2 calls');
  const [first, second] = within(screen.getByRole('table', { name: 'Calls' }))
    .getAllByRole('row')
    .slice(1);
  expect(first).toHaveTextContent("The recipient's line is busy. BUSY");
  expect(second).toHaveTextContent('1 of 3');
  expect(second).toHaveTextContent('Page 2 of 3');
});

test('a fax is cancelled after a question only', async () => {
  const asked = answer('post', '/api/messages/{id}/fax/{deliveryId}/cancel', { items: [] });
  show({ confirmedPages: 1 });
  await press('Cancel fax');
  const question = within(await screen.findByRole('dialog', { name: 'Cancel the fax?' }));
  expect(question.getByText('740-555-0197')).toBeInTheDocument();
  expect(question.getByText('The recipient has 1 of 3 pages already. The remaining pages are not sent.')).toBeInTheDocument();
  await userEvent.click(question.getByRole('button', { name: 'Keep sending' }));
  expect(asked).toEqual([]);
  await press('Cancel fax');
  await userEvent.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Cancel fax' }));
  expect(await screen.findByText('The fax is being cancelled.')).toBeInTheDocument();
  expect(asked).toMatchObject([{ path: { id: 'm1', deliveryId: 'd1' } }]);
});

test('a fax that is over cannot be cancelled, only sent again', async () => {
  show({ canCancel: false, canSendAgain: true, now: 'The fax was cancelled.', nextAt: null });
  expect(await screen.findByRole('button', { name: 'Send again' })).toBeInTheDocument();
  expect(screen.queryByRole('button', { name: 'Cancel fax' })).toBeNull();
  expect(screen.queryByText(/next call/)).toBeNull();
});

test('a fax that its provider cannot cancel goes on, and the page says why', async () => {
  const message = 'The fax could not be cancelled and continues. The call was answered already.';
  const asked = refusal('post', '/api/messages/{id}/fax/{deliveryId}/cancel', 409);
  show({ cancelProblem: message });
  expect(await screen.findByText(message)).toBeInTheDocument();
  await press('Cancel fax');
  await userEvent.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Cancel fax' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(asked).toHaveLength(1);
  expect(screen.getByRole('button', { name: 'Cancel fax' })).toBeInTheDocument();
});
