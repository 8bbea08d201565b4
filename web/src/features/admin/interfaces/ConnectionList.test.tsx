import { fireEvent, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test } from 'vitest';
import { setToken } from '@/api/token';
import { answer, refusal } from '@/test/answers';
import { renderScreen } from '@/test/render';
import { ConnectionList } from './ConnectionList';

beforeEach(() => {
  setToken({ accessToken: 't', expiresIn: 900 });
  answer('get', '/api/admin/inboundconnections', { items: [], totalCount: 0, totalIsCapped: false });
});

test('a connection by ITI-41 is for one organization or for all, and has no names of HL7 v2', async () => {
  const text = 'Please enter a certificate or a network, because the sender named in a message can be forged.';
  refusal('post', '/api/admin/inboundconnections', 422, { modelState: { networks: [text] } });
  renderScreen(<ConnectionList />);
  await userEvent.click(await screen.findByRole('button', { name: 'Create' }));
  const form = within(await screen.findByRole('dialog', { name: 'New inbound connection' }));
  fireEvent.change(form.getByLabelText(/^Name/), { target: { value: 'Northgate' } });
  expect(form.getByLabelText('Sending facility')).toBeInTheDocument();
  await userEvent.click(form.getByRole('combobox', { name: 'Kind' }));
  await userEvent.click(await screen.findByRole('option', { name: 'ITI-41 and XDR' }));
  expect(form.queryByLabelText('Sending facility')).toBeNull();
  // The strictness is required only with assertions.
  expect(form.queryByLabelText('Loose assertions')).toBeNull();
  fireEvent.change(form.getByLabelText('Assertion certificate'), { target: { value: 'ab'.repeat(32) } });
  await userEvent.click(form.getByLabelText('Loose assertions'));
  await userEvent.click(form.getByLabelText('All organizations'));
  expect(form.queryByLabelText(/^Organization/)).toBeNull();
  const create = () => userEvent.click(form.getByRole('button', { name: 'Create' }));
  await create();
  expect(await form.findByText(text)).toBeInTheDocument();
  const made = answer('post', '/api/admin/inboundconnections', { id: 'c' } as never);
  await userEvent.type(form.getByLabelText('Networks', { selector: 'input' }), '10.0.0.0/8{Enter}');
  await create();
  expect(await screen.findByText('The inbound connection was created.')).toBeInTheDocument();
  expect(made[0]!.body).toMatchObject({
    name: 'Northgate',
    kind: 'Xdr',
    organizationId: null,
    networks: ['10.0.0.0/8'],
    looseAssertions: true,
  });
});
