import { act, screen } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { setToken } from '@/api/token';
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
const person = vi.hoisted(() => ({ now: {} as typeof cancelled }));
vi.mock('@/app/session', () => ({ useProfile: () => person.now, queryClient: {}, refreshProfile: async () => {} }));
vi.mock('@/app/shell/OrgSwitcher', () => ({ OrgSwitcher: () => <button>Switch</button> }));
vi.mock('@/shared/ui/AppLink', () => ({ useGo: () => () => {} }));

beforeEach(() => {
  setToken({ accessToken: 't', expiresIn: 900 });
  vi.useFakeTimers({ shouldAdvanceTime: true });
});
afterEach(() => vi.useRealTimers());

const show = (over: Partial<typeof cancelled>) => {
  person.now = { ...cancelled, ...over };
  renderApp(<OrganizationStatus onSeen={() => {}} />);
};
const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
const shown = () => screen.queryByRole('dialog')?.querySelector('h2')?.textContent;

test('people who are not administrators are told after a second that their organization is cancelled (SES-R-115, SES-R-117)', async () => {
  show({});
  await pass(900);
  expect(shown()).toBeUndefined();
  await pass(200);
  expect(shown()).toBe('This organization is cancelled');
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

test('the reactivation opens half a second after the plan has loaded (SES-R-127)', async () => {
  server.use(http.get('*/api/subscriptionplans/fastspring/:id', () => HttpResponse.json({ plan: { id: 'p', name: 'Practice' } })));
  show({ isAdmin: true, subscriptionReference: 'r' });
  await vi.waitFor(() => expect(screen.getByText(/with the plan that it had: Practice/, { ignore: false })).toBeInTheDocument(), {
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

test('somebody with several organizations can go on in another', async () => {
  show({ isAdmin: true, organizations: [{ id: 'o' }, { id: 'p' }] });
  await pass(1100);
  expect(screen.getByRole('button', { name: 'Switch' })).toBeInTheDocument();
});
