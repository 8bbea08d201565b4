import { fireEvent, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test } from 'vitest';
import { setToken } from '@/api/token';
import type { OwnDirectAddress } from '@/api/types';
import { answer } from '@/test/answers';
import { renderScreen } from '@/test/render';
import { DirectAddresses } from './DirectAddresses';

const LIST = '/api/settings/directaddresses';
let address: OwnDirectAddress;
beforeEach(() => {
  setToken({ accessToken: 't', expiresIn: 900 });
  address = {
    id: 'a1',
    address: 'desk@larkfield.example',
    displayName: 'Front desk',
    state: 'Requested',
    people: ['d'],
    readers: null,
    createdDate: '2026-11-20T10:00:00Z',
    version: 1,
  };
  answer('get', LIST, () => ({ items: [address], totalCount: 1, totalIsCapped: false }));
});
const people = [
  { id: 'd', name: 'Dana Whitfield' },
  { id: 'p', name: 'Priya Nandakumar' },
];
const write = (form: ReturnType<typeof within>, name: string, value: string) =>
  fireEvent.change(form.getByRole('textbox', { name }), { target: { value } });

test('whoever asks for an address may send from it, and everybody may read what arrives', async () => {
  const asked = answer('post', LIST, () => address as never);
  renderScreen(<DirectAddresses people={people} requester="d" />);
  await userEvent.click(await screen.findByRole('button', { name: 'Request address' }));
  const form = within(await screen.findByRole('dialog', { name: 'Request a Direct address' }));
  write(form, 'Address', 'desk');
  write(form, 'Name', 'Front desk');
  await userEvent.click(form.getByRole('button', { name: 'Request' }));
  expect(await screen.findByText('The Direct address was requested. Activate it to receive mail.')).toBeInTheDocument();
  expect(asked.map((a) => a.body)).toEqual([{ localPart: 'desk', displayName: 'Front desk', people: ['d'], readers: null }]);
  expect(screen.getByRole('row', { name: /desk@larkfield\.example.*Dana Whitfield.*Everybody.*Requested/ })).toBeInTheDocument();
});

test('an address is activated and retired after a question only, and what is retired is offered to be activated alone', async () => {
  const activated = answer('post', `${LIST}/{id}/activate`, () => (address = { ...address, state: 'Active' }) as never);
  const retired = answer('post', `${LIST}/{id}/retire`, () => (address = { ...address, state: 'Retired' }) as never);
  renderScreen(<DirectAddresses organizationId="o" people={people} />);
  const menu = async () => userEvent.click(await screen.findByRole('button', { name: 'Actions for desk@larkfield.example' }));
  const act = async (item: string) => {
    await menu();
    await userEvent.click(await screen.findByRole('menuitem', { name: item }));
    await userEvent.click(within(await screen.findByRole('dialog')).getByRole('button', { name: item }));
  };
  await act('Activate');
  expect(await screen.findByText('The Direct address is active.')).toBeInTheDocument();
  expect(activated[0]!.query.get('organizationId')).toBe('o');
  expect(await screen.findByText('Active')).toBeInTheDocument();
  await act('Retire');
  expect(await screen.findByText('The Direct address was retired.')).toBeInTheDocument();
  expect(retired).toMatchObject([{ path: { id: 'a1' } }]);
  expect(await screen.findByText('Retired')).toBeInTheDocument();
  await menu();
  expect(await screen.findByRole('menuitem', { name: 'Activate' })).toBeInTheDocument();
  expect(screen.queryByRole('menuitem', { name: 'Retire' })).toBeNull();
});
