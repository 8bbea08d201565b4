import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { setToken } from '@/api/token';
import type { Subscription } from '@/api/types';
import { answer, refusal } from '@/test/answers';
import { renderApp } from '@/test/render';
import { server } from '@/test/setup';
import { OrganizationStatus } from './StatusDialogs';

const cancelled = vi.hoisted(() => ({
  organizationName: 'Larkfield',
  isAdmin: false,
  orgIsCancelled: true,
  gracePeriodEndDate: null as string | null,
  subscriptionReference: null as string | null,
  organizations: [{ id: 'o' }],
}));
const person = vi.hoisted(() => ({ now: {} as typeof cancelled, refresh: vi.fn(async () => {}) }));
vi.mock('@/app/session', async () => {
  const { QueryClient } = await import('@tanstack/react-query');
  return { useProfile: () => person.now, queryClient: new QueryClient(), refreshProfile: person.refresh };
});
const go = vi.hoisted(() => vi.fn());
vi.mock('@/app/shell/OrgSwitcher', () => ({ OrgSwitcher: () => <button>Switch</button> }));
vi.mock('@/shared/ui/AppLink', () => ({ useGo: () => go }));

beforeEach(() => {
  setToken({ accessToken: 't', expiresIn: 900 });
  vi.clearAllMocks();
  vi.useFakeTimers({ shouldAdvanceTime: true });
});
afterEach(() => vi.useRealTimers());

const show = (over: Partial<typeof cancelled>) => {
  person.now = { ...cancelled, ...over };
  const seen = vi.fn();
  renderApp(<OrganizationStatus onSeen={seen} />);
  return seen;
};
const press = (name: string) => fireEvent.click(screen.getByRole('button', { name }));
const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
const shown = () => screen.queryByRole('dialog')?.querySelector('h2')?.textContent;

test('people who are not administrators are told after a second that their organization is cancelled (SES-R-115, SES-R-117)', async () => {
  show({});
  await pass(900);
  expect(shown()).toBeUndefined();
  await pass(200);
  expect(shown()).toBe('This organization is cancelled');
});

test('people of a cancelled organization can only log out (SES-S-040, SES-R-116, SES-R-118, SES-R-119, SES-R-120)', async () => {
  show({});
  await pass(1100);
  const dialog = screen.getByRole('dialog', { name: 'This organization is cancelled' });
  expect(dialog).toHaveTextContent('contact a previous administrator');
  expect(screen.getAllByRole('button')).toHaveLength(1);
  press('Log out');
  expect(go).toHaveBeenCalledWith('/account/logout');
});

test('only an administrator can reactivate it (SES-R-135)', async () => {
  show({ isAdmin: true });
  await pass(1100);
  expect(screen.getByRole('button', { name: 'Request Reactivation' })).toBeInTheDocument();
});

test('in the grace period a notice opens after a second, and not once the organization is cancelled (SES-R-122, SES-R-123)', async () => {
  show({ orgIsCancelled: false, gracePeriodEndDate: '2026-12-01T00:00:00Z' });
  await pass(900);
  expect(shown()).toBeUndefined();
  await pass(200);
  expect(shown()).toBe('Your subscription is cancelled');
});

test('the notice of the grace period names its end; Ok signs out, and closing it goes on working (SES-S-041, SES-R-124, SES-R-125, SES-T-016)', async () => {
  vi.setSystemTime('2026-11-20T12:00:00Z');
  const seen = show({ orgIsCancelled: false, gracePeriodEndDate: '2026-12-01T12:00:00Z' });
  await pass(1100);
  expect(screen.getByRole('dialog')).toHaveTextContent(/Larkfield can still be used until Dec 1/);
  press('Ok');
  expect(go).toHaveBeenCalledWith('/account/logout');
  expect(seen).not.toHaveBeenCalled();
  press('Close');
  press('Keep working');
  expect(seen).toHaveBeenCalledTimes(2);
});

test('the reactivation opens half a second after the plan has loaded (SES-R-126, SES-R-127)', async () => {
  server.use(http.get('*/api/subscriptionplans/fastspring/:id', () => HttpResponse.json({ plan: { id: 'p', name: 'Practice' } })));
  show({ isAdmin: true, subscriptionReference: 'r' });
  await vi.waitFor(() => expect(screen.getByText(/with its previous plan: Practice/, { ignore: false })).toBeInTheDocument(), {
    timeout: 900,
  });
  await pass(600);
  expect(shown()).toBe('Reactivate organization');
});

test('somebody with one organization has nothing to switch to there (SES-R-130)', async () => {
  show({ isAdmin: true });
  await pass(1100);
  expect(screen.queryByRole('button', { name: 'Switch' })).toBeNull();
});

test('somebody with several organizations can go on in another (SES-R-129, SES-S-043)', async () => {
  show({ isAdmin: true, organizations: [{ id: 'o' }, { id: 'p' }] });
  await pass(1100);
  expect(screen.getByRole('button', { name: 'Switch' })).toBeInTheDocument();
});

test('if its plan cannot be loaded the reactivation opens a second later, without it (SES-R-128)', async () => {
  const asked = refusal('get', '/api/subscriptionplans/fastspring/{id}', 500);
  show({ isAdmin: true, subscriptionReference: 'r' });
  await waitFor(() => expect(asked).toHaveLength(1));
  await pass(900);
  expect(shown()).toBeUndefined();
  await pass(500);
  expect(screen.getByRole('dialog')).toHaveTextContent('You can then choose a plan under Plan.');
});

const plan = { id: 'p', name: 'Practice', allowedUsers: 5, allowedUsersDescription: 'Up to 5 users' };
const reactivation = async () => {
  answer('get', '/api/subscriptionplans/fastspring/{id}', {
    id: 'r',
    organizationId: 'o',
    status: 'Cancelled',
    plan,
    startDate: '2026-01-01T00:00:00Z',
  });
  show({ isAdmin: true, subscriptionReference: 'r' });
  await screen.findByText(/with its previous plan: Practice/);
  await pass(600);
};
const active: Subscription = {
  organizationId: 'o',
  organizationName: 'Larkfield',
  status: 'Active',
  plan,
  numberOfUsers: 3,
  offeredPlans: [],
};
const PATH = '/api/subscriptionplans/reactivate';

test('a reactivation is requested once, with the plan of before (SES-S-042, SES-R-131, SES-R-132, SES-R-136, SES-T-018)', async () => {
  let release = () => {};
  const waits = new Promise<void>((done) => {
    release = done;
  });
  const asked = answer('post', PATH, () => waits.then(() => active));
  await reactivation();
  const request = screen.getByRole('button', { name: 'Request Reactivation' });
  fireEvent.click(request);
  await waitFor(() => expect(request).toBeDisabled());
  fireEvent.click(request);
  release();
  await waitFor(() => expect(person.refresh).toHaveBeenCalledTimes(1));
  expect(asked.map((a) => a.body)).toEqual([{ planId: 'p' }]);
});

test('a reactivation is confirmed, and the profile is read anew (SES-R-133, SES-R-134, SES-T-060)', async () => {
  answer('post', PATH, active);
  await reactivation();
  press('Request Reactivation');
  expect(await screen.findByText('Organization successfully reactivated.')).toBeInTheDocument();
  expect(person.refresh).toHaveBeenCalledTimes(1);
  expect(screen.getByRole('button', { name: 'Request Reactivation' })).toBeDisabled();
});

test('a reactivation that failed can be requested again', async () => {
  const asked = refusal('post', PATH, 500);
  await reactivation();
  press('Request Reactivation');
  await waitFor(() => expect(asked).toHaveLength(1));
  await waitFor(() => expect(screen.getByRole('button', { name: 'Request Reactivation' })).toBeEnabled());
});

test('who does not reactivate signs out (SES-T-017)', async () => {
  await reactivation();
  press('Cancel Reactivation');
  expect(go).toHaveBeenCalledWith('/account/logout');
});
