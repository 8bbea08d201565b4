import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { setToken } from '@/api/token';
import type { Subscription } from '@/api/types';
import { answer } from '@/test/answers';
import { renderApp } from '@/test/render';
import { PlanPage } from './PlanPage';

vi.mock('@/app/session', async () => {
  const { QueryClient } = await import('@tanstack/react-query');
  return { useProfile: () => ({ organizationId: 'o' }), queryClient: new QueryClient(), refreshProfile: async () => {} };
});

const plan = (id: string | null, name: string) => ({ id, name, allowedUsersDescription: 'Up to 5 users' });
const subscription = (over: object = {}): Subscription =>
  ({
    organizationId: 'o',
    organizationName: 'Summit Orthopedics',
    planId: null,
    plan: plan(null, 'Free'),
    status: 'Active',
    offeredPlans: [plan(null, 'Free'), plan('p', 'Professional')],
    numberOfUsers: 3,
    ...over,
  }) as Subscription;

beforeEach(() => setToken({ accessToken: 't', expiresIn: 900 }));

const show = async (over: object = {}) => {
  answer('get', '/api/subscriptionplans/subscriptions', subscription(over));
  renderApp(<PlanPage />);
  await screen.findByRole('region', { name: 'Current plan' });
};
const button = (name: string, where: HTMLElement = document.body) => within(where).getByRole('button', { name });

test('another plan is chosen, confirmed and takes effect', async () => {
  const sent = answer('post', '/api/subscriptionplans/subscriptions', subscription());
  await show();
  expect(button('Change plan')).toBeDisabled();
  fireEvent.click(screen.getByRole('radio', { name: /Professional/ }));
  fireEvent.click(button('Change plan'));
  const question = await screen.findByRole('dialog', { name: 'Change plan' });
  expect(question).toHaveTextContent('from Free to Professional');
  expect(sent).toHaveLength(0);
  fireEvent.click(button('Change plan', question));
  await waitFor(() => expect(sent.map((s) => s.body)).toEqual([{ organizationId: 'o', planId: 'p' }]));
});

test('a cancellation has a reason', async () => {
  const sent = answer('post', '/api/subscriptionplans/cancel', subscription());
  await show();
  fireEvent.click(button('Cancel subscription'));
  const cancel = await screen.findByRole('dialog', { name: 'Cancel subscription' });
  fireEvent.click(button('Cancel subscription', cancel));
  expect(await screen.findByText('Please tell us why you are leaving.')).toBeVisible();
  fireEvent.change(within(cancel).getByRole('textbox'), { target: { value: 'We close the practice.' } });
  fireEvent.click(button('Cancel subscription', cancel));
  await waitFor(() => expect(sent.map((s) => s.body)).toEqual([{ cancelReason: 'We close the practice.' }]));
});

test('a cancelled subscription can be kept until its end, and not changed', async () => {
  const sent = answer('post', '/api/subscriptionplans/reactivate', subscription());
  await show({ status: 'GracePeriod', endDate: '2030-12-01T12:00:00Z' });
  expect(screen.getByText(/Summit Orthopedics can be used until Dec 1, 2030/)).toBeVisible();
  expect(screen.queryByRole('button', { name: 'Change plan' })).toBeNull();
  fireEvent.click(button('Keep the subscription'));
  await waitFor(() => expect(sent).toHaveLength(1));
});
