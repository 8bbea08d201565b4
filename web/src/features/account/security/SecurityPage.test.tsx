import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse, http } from 'msw';
import { beforeEach, describe, expect, test } from 'vitest';
import type { SecuritySettings } from '@/api/types';
import { setToken } from '@/api/token';
import { answer, refusal } from '@/test/answers';
import { renderApp } from '@/test/render';
import { server } from '@/test/setup';
import { SecurityPage } from './SecurityPage';

const settings: SecuritySettings = {
  idleMinutes: 15,
  requireSecondFactor: false,
  secondFactorAlways: false,
  requireWhitelistedIp: false,
  allowedAddresses: [],
  ownAddress: '203.0.113.9',
  version: 1,
};
let held = settings;

beforeEach(() => {
  setToken({ accessToken: 't', expiresIn: 900 });
  held = settings;
  server.use(
    http.get('*/api/account/settings/security', () => HttpResponse.json(held)),
    http.put('*/api/account/settings/security', async ({ request }) => {
      const form = (await request.json()) as SecuritySettings;
      if (form.version !== held.version) return HttpResponse.json({ status: 409, reason: 'Changed in the meantime.' }, { status: 409 });
      held = { ...held, ...form, version: held.version + 1 };
      return HttpResponse.json(held);
    }),
  );
});

const press = async (name: string) => userEvent.click(await screen.findByRole('button', { name }));
const restriction = () => screen.findByRole('switch', { name: 'Allow only these addresses' });

/** Somebody opens the page, a colleague restricts the addresses, and the first one saves. */
const saveStale = async () => {
  renderApp(<SecurityPage />);
  await restriction();
  held = { ...settings, requireWhitelistedIp: true, allowedAddresses: ['203.0.113.0/24'], version: 2 };
  await press('Save settings');
  await screen.findByText('This page has changed.');
  expect(held.requireWhitelistedIp).toBe(true);
};

describe('settings that a colleague has changed meanwhile', () => {
  test('can be loaded', async () => {
    await saveStale();
    await press('Load their version');
    await waitFor(async () => expect(await restriction()).toBeChecked());
    await press('Save settings');
    await waitFor(() => expect(held.version).toBe(3));
    expect(held.requireWhitelistedIp).toBe(true);
  });
  test('are overwritten only on purpose', async () => {
    await saveStale();
    await press('Keep mine');
    await waitFor(() => expect(screen.queryByText('This page has changed.')).toBeNull());
    await press('Save settings');
    await waitFor(() => expect(held).toMatchObject({ requireWhitelistedIp: false, version: 3 }));
  });
  test('do not prevent two changes of one’s own', async () => {
    renderApp(<SecurityPage />);
    await press('Save settings');
    await waitFor(() => expect(held.version).toBe(2));
    await press('Save settings');
    await waitFor(() => expect(held.version).toBe(3));
  });
});

const minutes = () => screen.findByRole('textbox', { name: /^Minutes without activity/ });

test('people are signed out after 5 to 30 minutes without activity', async () => {
  const saved = answer('put', '/api/account/settings/security', settings);
  renderApp(<SecurityPage />);
  for (const wrong of ['4', '31', '']) {
    fireEvent.change(await minutes(), { target: { value: wrong } });
    await press('Save settings');
    expect(await screen.findByText('Please enter 5 to 30 minutes.')).toBeVisible();
  }
  fireEvent.change(await minutes(), { target: { value: '30' } });
  await press('Save settings');
  expect(await screen.findByText('The security settings were saved.')).toBeVisible();
  expect(saved.map((s) => s.body.idleMinutes)).toEqual([30]);
});

test('who would lock themselves out is asked first, and can add their own address', async () => {
  held = { ...settings, requireWhitelistedIp: true, allowedAddresses: ['198.51.100.0/24'] };
  const refused = refusal('put', '/api/account/settings/security', 422, { modelState: { confirmLockOut: ['Really?'] } });
  renderApp(<SecurityPage />);
  await press('Save settings');
  const question = await screen.findByRole('dialog', { name: 'Your own address is not in the list' });
  expect(question).toHaveTextContent('203.0.113.9');
  await userEvent.click(within(question).getByRole('button', { name: 'Save and lock me out' }));
  await waitFor(() => expect(refused.map((r) => (r.body as { confirmLockOut?: boolean }).confirmLockOut)).toEqual([undefined, true]));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  const saved = answer('put', '/api/account/settings/security', settings);
  await press('Add this address');
  expect(screen.queryByRole('button', { name: 'Add this address' })).toBeNull();
  await press('Save settings');
  await waitFor(() => expect(saved[0]?.body.allowedAddresses).toEqual(['198.51.100.0/24', '203.0.113.9']));
});

test('an organization that allows some addresses only names at least one', async () => {
  renderApp(<SecurityPage />);
  await userEvent.click(await restriction());
  await press('Save settings');
  expect(await screen.findByText('Please enter at least one address, or allow all.')).toBeVisible();
});
