import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse, http } from 'msw';
import { beforeEach, expect, test } from 'vitest';
import { setToken } from '@/api/token';
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

test('five saved addresses stand on a page (ADA-R-150)', async () => {
  const addresses = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => `${name}@x.example`);
  server.use(http.get(ADDRESSES, () => HttpResponse.json({ addresses })));
  open();
  expect(await screen.findAllByRole('checkbox')).toHaveLength(5);
  await userEvent.click(screen.getByRole('button', { name: 'Next page' }));
  expect((await screen.findAllByRole('checkbox')).map((box) => box.getAttribute('value'))).toEqual(['f@x.example', 'g@x.example']);
});
