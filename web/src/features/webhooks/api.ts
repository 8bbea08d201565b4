import { api } from '@/api/client';
import { queryOf } from '@/api/query';

export const LIST = '/api/webhooks';

export const at = (id: string) => ({ params: { path: { id } } });
export const atDelivery = (id: string, deliveryId: string) => ({ params: { path: { id, deliveryId } } });

export const webhookQuery = (id: string) => queryOf('get', '/api/webhooks/{id}', at(id));

export const secretQuery = (id: string) => ({
  ...queryOf('get', '/api/webhooks/{id}/secret', at(id)),
  // Not cached: each view is recorded in the audit trail.
  staleTime: 0,
  gcTime: 0,
  refetchOnWindowFocus: false,
});

export const renewSecret = (id: string) => api.POST('/api/webhooks/{id}/secret', at(id));
export const sendTest = (id: string) => api.POST('/api/webhooks/{id}/test', at(id));
export const resume = (id: string) => api.POST('/api/webhooks/{id}/resume', at(id));
export const sendAgain = (id: string, deliveryId: string) =>
  api.POST('/api/webhooks/{id}/deliveries/{deliveryId}/resend', atDelivery(id, deliveryId));
export const sendFailedAgain = (id: string, since: string) => api.POST('/api/webhooks/{id}/resend', { ...at(id), body: { since } });
