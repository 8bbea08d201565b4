import { act, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse, http } from 'msw';
import { describe, expect, test } from 'vitest';
import { setToken } from '@/api/token';
import type { Profile } from '@/api/types';
import { answer, refusal } from '@/test/answers';
import { renderApp } from '@/test/render';
import { permissions } from '@/test/session';
import { server } from '@/test/setup';
import { askForUpgrade, isPlanRestricted, noteScreen, planGate, stayedOn, UpgradeDialog } from './upgrade';

const profile = (over: Partial<Profile>): Profile => ({
  userId: 'u',
  userName: 'u',
  fullName: 'U',
  roles: ['User'],
  organizations: [],
  permissions: permissions(),
  ...over,
});
const restricted = profile({ uiResources: { releaseRoute: ['plan-upgrade-prompt'] } });

const targetOf = (run: () => void) => {
  try {
    run();
  } catch (error) {
    return (error as { options?: { href?: string } }).options?.href;
  }
  return undefined;
};

describe('a plan that lacks a function', () => {
  test('names the resources it restricts (MSG-R-051)', () => {
    expect(isPlanRestricted(restricted, 'releaseRoute')).toBe(true);
    expect(isPlanRestricted(restricted, 'forward')).toBe(false);
    expect(isPlanRestricted(profile({}), 'releaseRoute')).toBe(false);
  });
  test('lets everything else through', () => {
    expect(targetOf(() => planGate(restricted, 'reply', '/intake'))).toBeUndefined();
  });
  test('keeps the person on the screen in view (MSG-R-052)', () => {
    expect(targetOf(() => planGate(restricted, 'releaseRoute', '/intake?page=2'))).toBe('/intake?page=2');
  });
  test('leads to the landing page of the role on the first load (MSG-R-053, SES-R-059)', () => {
    expect(targetOf(() => planGate(restricted, 'releaseRoute', undefined))).toBe('/intake');
    expect(targetOf(() => planGate({ ...restricted, roles: ['Administrator'] }, 'releaseRoute', undefined))).toBe('/account/dashboard');
  });
  test('keeps a cancelled screen closed without asking (MSG-R-054, SES-R-060, SES-R-305)', () => {
    const cancelled = profile({ uiResources: { releaseRoute: ['cancel'] } });
    expect(isPlanRestricted(cancelled, 'releaseRoute')).toBe(false);
    expect(targetOf(() => planGate(cancelled, 'releaseRoute', '/intake?page=2'))).toBe('/intake?page=2');
    expect(targetOf(() => planGate(cancelled, 'reply', '/intake'))).toBeUndefined();
  });
  test('counts the way in from the sign-in page as a first load', () => {
    noteScreen('/account/login');
    expect(stayedOn({ location: { href: '/release' } })).toBeUndefined();
    noteScreen('/intake');
    expect(stayedOn({ location: { href: '/release' } })).toBe('/intake');
  });
});

for (const [role, title, words, ids] of [
  [
    'Administrator',
    'Upgrade your plan',
    'we will contact you about the plans that do',
    'MSG-S-044, MSG-R-020, MSG-R-362, MSG-T-045, MSG-T-046, MSG-T-097, SES-R-138, SES-R-139, SES-R-141, SES-S-044',
  ],
  [
    'User',
    'Request an upgrade',
    'Only an administrator of your organization can change the plan.',
    'MSG-S-045, MSG-R-021, SES-S-045, SES-R-142',
  ],
] as const)
  test(`the role ${role} has its own text (MSG-R-367, MSG-R-368, MSG-R-369, SES-R-137, ${ids})`, async () => {
    setToken({ accessToken: 't', expiresIn: 900 });
    server.use(
      http.get('*/api/users/profiledata', () => HttpResponse.json(profile({ roles: [role] }))),
      http.post('*/api/subscriptionplans/upgraderequest', () => HttpResponse.json({ message: 'Your plan upgrade request has been sent.' })),
    );
    renderApp(<UpgradeDialog />);
    act(askForUpgrade);
    expect(await screen.findByRole('dialog', { name: title })).toHaveTextContent(words);
    await userEvent.click(screen.getByRole('button', { name: 'Not Now' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
    act(askForUpgrade);
    await userEvent.click(await screen.findByRole('button', { name: 'Send Request' }));
    expect(await screen.findByText('Your plan upgrade request has been sent.')).toBeInTheDocument();
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  });

test('a request that failed leaves the question open, so that it can be sent again', async () => {
  setToken({ accessToken: 't', expiresIn: 900 });
  server.use(http.get('*/api/users/profiledata', () => HttpResponse.json(profile({}))));
  const failed = refusal('post', '/api/subscriptionplans/upgraderequest', 500);
  renderApp(<UpgradeDialog />);
  act(askForUpgrade);
  await userEvent.click(await screen.findByRole('button', { name: 'Send Request' }));
  await waitFor(() => expect(failed).toHaveLength(1));
  const sent = answer('post', '/api/subscriptionplans/upgraderequest', { message: 'Your plan upgrade request has been sent.' });
  await userEvent.click(await screen.findByRole('button', { name: 'Send Request' }));
  await waitFor(() => expect(sent).toHaveLength(1));
});
