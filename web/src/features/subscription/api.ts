import { queryOptions } from '@tanstack/react-query';
import { api, unwrap } from '@/api/client';
import { queryClient, refreshProfile } from '@/app/session';

const key = ['subscription'] as const;

export const subscriptionQuery = (organizationId: string) =>
  queryOptions({
    queryKey: [...key, organizationId],
    queryFn: () => unwrap(api.GET('/api/subscriptionplans/subscriptions', { params: { query: { organizationId } } })),
    staleTime: 0,
    meta: { page: true },
  });

/** The subscription as the billing service knows it. */
export const billedQuery = (id: string) =>
  queryOptions({
    queryKey: [...key, 'billed', id],
    queryFn: () => unwrap(api.GET('/api/subscriptionplans/fastspring/{id}', { params: { path: { id } } })),
    staleTime: 0,
    retry: false,
  });

async function changed() {
  await Promise.all([queryClient.invalidateQueries({ queryKey: key }), refreshProfile()]);
}

export async function changePlan({ organizationId, planId }: { organizationId: string; planId: string | null }) {
  await unwrap(api.POST('/api/subscriptionplans/subscriptions', { body: { organizationId, planId } }));
  await changed();
}
export async function cancelSubscription(cancelReason: string) {
  await unwrap(api.POST('/api/subscriptionplans/cancel', { body: { cancelReason } }));
  await changed();
}
export async function reactivate(planId: string | null) {
  await unwrap(api.POST('/api/subscriptionplans/reactivate', { body: { planId } }));
  await changed();
}
