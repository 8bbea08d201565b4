import { api, unwrap } from '@/api/client';
import { queryOf, refresh } from '@/api/query';
import { queryClient, refreshProfile } from '@/app/session';

const PLANS = '/api/subscriptionplans';

export const subscriptionQuery = (organizationId: string) => ({
  ...queryOf('get', `${PLANS}/subscriptions`, { params: { query: { organizationId } } }),
  staleTime: 0,
  meta: { page: true },
});

/** The subscription as the billing service knows it. */
export const billedQuery = (id: string) => ({
  ...queryOf('get', `${PLANS}/fastspring/{id}`, { params: { path: { id } } }),
  staleTime: 0,
  retry: false,
});

async function changed() {
  await Promise.all([refresh(queryClient, `${PLANS}/subscriptions`, `${PLANS}/fastspring/{id}`), refreshProfile()]);
}

export async function changePlan(organizationId: string, planId: string | null) {
  await unwrap(api.POST(`${PLANS}/subscriptions`, { body: { organizationId, planId } }));
  await changed();
}
export async function cancelSubscription(cancelReason: string) {
  await unwrap(api.POST(`${PLANS}/cancel`, { body: { cancelReason } }));
  await changed();
}
export async function reactivate(planId: string | null) {
  await unwrap(api.POST(`${PLANS}/reactivate`, { body: { planId } }));
  await changed();
}
