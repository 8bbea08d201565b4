import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse, http } from 'msw';
import { beforeEach, expect, test, vi } from 'vitest';
import { setToken } from '@/api/token';
import { answer } from '@/test/answers';
import { held } from '@/test/held';
import { renderApp } from '@/test/render';
import { server } from '@/test/setup';
import { SavedAddressesDialog } from './SavedAddressesDialog';

const ADDRESSES = '*/api/directaddresscache';
const shown = () => screen.findByRole('dialog', { name: 'Saved addresses' });
const open = () => renderApp(<SavedAddressesDialog current={[]} onClose={() => {}} onPick={() => {}} />);

beforeEach(() => setToken({ accessToken: 't', expiresIn: 900 }));

test('saved addresses that come late come into the dialog that is open, and its field has the focus', async () => {
  const answer = held(ADDRESSES, { addresses: ['ann@x.example'] });
  open();
  const dialog = await shown();
  answer();
  expect(await screen.findByRole('checkbox', { name: 'ann@x.example' })).toBeInTheDocument();
  expect(await shown()).toBe(dialog);
  expect(screen.getByRole('textbox', { name: 'Add to the list' })).toHaveFocus();
});

test('saved addresses that could not be loaded are asked for again, and nothing can be saved meanwhile', async () => {
  let isThere = false;
  server.use(
    http.get(ADDRESSES, () =>
      isThere ? HttpResponse.json({ addresses: [] }) : HttpResponse.json({ message: 'Not now.' }, { status: 503 }),
    ),
  );
  open();
  const dialog = await shown();
  expect(await screen.findByText('The saved addresses could not be loaded')).toBeInTheDocument();
  expect(screen.getByRole('button', { name: 'Save list' })).toBeDisabled();
  isThere = true;
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByText('No addresses are saved yet.')).toBeInTheDocument();
  expect(await shown()).toBe(dialog);
});

test('a page shows five saved addresses, and those ticked on several pages are taken together', async () => {
  const addresses = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => `${name}@x.example`);
  answer('get', '/api/directaddresscache', { addresses });
  const picked = vi.fn();
  renderApp(<SavedAddressesDialog current={['b@x.example']} onClose={() => {}} onPick={picked} />);
  const boxes = () => screen.getAllByRole('checkbox').map((box) => box.getAttribute('value'));
  await userEvent.click(await screen.findByRole('checkbox', { name: 'a@x.example' }));
  expect(boxes()).toEqual(addresses.slice(0, 5));
  expect(screen.getByRole('checkbox', { name: 'b@x.example' })).toBeDisabled();
  await userEvent.click(screen.getByRole('button', { name: 'Next page' }));
  expect(boxes()).toEqual(addresses.slice(5));
  await userEvent.click(screen.getByRole('checkbox', { name: 'g@x.example' }));
  await userEvent.click(screen.getByRole('button', { name: 'Add 2 addresses' }));
  expect(picked).toHaveBeenCalledWith(['a@x.example', 'g@x.example']);
});

test('an address is added to the saved ones, and chosen for the message (MSG-R-419, MSG-S-051, MSG-T-092)', async () => {
  const onPick = vi.fn();
  answer('get', '/api/directaddresscache', { addresses: ['ann@x.example'], version: 1 } as never);
  const saved = answer('put', '/api/directaddresscache', ({ body }) => ({ ...body, version: 2 }) as never);
  renderApp(<SavedAddressesDialog current={[]} onClose={() => {}} onPick={onPick} />);
  await userEvent.type(await screen.findByRole('textbox', { name: 'Add to the list' }), 'care@x.example{Enter}');
  await userEvent.click(screen.getByRole('button', { name: 'Save list' }));
  expect(await screen.findByText('Direct Address Cache has been saved successfully.')).toBeInTheDocument();
  expect(saved.map(({ body }) => body.addresses)).toEqual([['ann@x.example', 'care@x.example']]);
  await userEvent.click(await screen.findByRole('checkbox', { name: 'ann@x.example' }));
  await userEvent.click(screen.getByRole('button', { name: 'Add address' }));
  expect(onPick).toHaveBeenCalledExactlyOnceWith(['ann@x.example']);
});
