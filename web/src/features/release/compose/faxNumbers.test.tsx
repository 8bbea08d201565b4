import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse, http } from 'msw';
import { beforeEach, expect, test } from 'vitest';
import { answer } from '@/test/answers';
import { click, form, FROM, openRelease, ready, releaseServer } from '@/test/release';
import { server } from '@/test/setup';

const NUMBER = '+17405550188';
const LOST = 'office@trivalley.direct.example';
const sources = [
  { id: 's1', fullAddress: FROM, type: 'DirectMessage', status: 1, displayName: 'Records' },
  { id: 's3', fullAddress: '+17405550110', type: 'Fax', status: 1, displayName: '' },
];

beforeEach(() => {
  server.use(http.get('*/api/messages/:id/fax/pages', () => HttpResponse.json({}, { status: 409 })));
});
const review = async () => {
  await click('Review and send');
  return within(await screen.findByRole('dialog', { name: 'Review and send' }));
};
const isNew = () =>
  answer('post', '/api/directory/validate', ({ body }) => ({
    items: body.addresses.map((address) => ({ address, isValid: true, kind: 'Fax' as const, isNew: true })),
  }));

test('a forward to an address that nobody finds goes to the fax number of its owner in the directory, and says so first (MSG-R-413, MSG-T-087)', async () => {
  releaseServer({ messages: [ready({ toAddresses: [LOST], mode: 'forward' })], sources });
  const asked = answer('post', '/api/directory/lookup', ({ body }) => ({
    items: body.addresses.map((address) => ({ address, isFound: false, faxNumber: NUMBER })),
  }));
  openRelease('/release/forward/draft/m1');
  await form();
  await click('Review and send');
  expect(await screen.findByText('Forwarding address lookup failed. Falling back to fax number.')).toBeInTheDocument();
  expect(asked.map((a) => a.body)).toEqual([{ addresses: [LOST] }]);
  expect(screen.queryByRole('dialog')).toBeNull();
  expect(screen.queryByText(LOST)).toBeNull();
  expect(screen.getByText('1-740-555-0188')).toBeInTheDocument();
  const words = await review();
  expect(words.getByText('Faxed from').nextElementSibling).toHaveTextContent('1-740-555-0110');
});

test('a number that nobody here has faxed to is checked and confirmed before anything is sent', async () => {
  const { sent } = releaseServer({ messages: [ready({ toAddresses: [NUMBER] })], sources });
  isNew();
  openRelease('/release/draft/m1');
  await form();
  const words = await review();
  await userEvent.click(words.getByRole('button', { name: 'Confirm' }));
  expect(words.getByText('Please check the number and confirm it.')).toBeInTheDocument();
  expect(sent).toEqual([]);
  await userEvent.click(words.getByRole('checkbox', { name: 'I have checked 1-740-555-0188' }));
  expect(words.queryByText('Please check the number and confirm it.')).toBeNull();
  await userEvent.click(words.getByRole('button', { name: 'Confirm' }));
  expect(await screen.findByText('The message was sent successfully.')).toBeInTheDocument();
  await waitFor(() => expect(sent.map((s) => s.body.confirmedFaxNumbers)).toEqual([[NUMBER]]));
});
