import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse, http } from 'msw';
import { beforeEach, describe, expect, test } from 'vitest';
import type { SecuritySettings } from '@/api/types';
import { setToken } from '@/api/token';
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
