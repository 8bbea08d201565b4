import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { queryOf } from '@/api/query';
import type { WebhookDelivery } from '@/api/types';
import { formatDateTime } from '@/shared/format';
import { ErrorState } from '@/shared/ui/blocks';
import { Dialog } from '@/shared/ui/Dialog';
import { atDelivery } from './api';
import { eventLabel } from './words';
import './webhooks.css';

const pretty = (json: string) => {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json;
  }
};

/** The request of a delivery, and the endpoint's response. */
export function DeliveryDialog({ id, delivery, onClose }: { id: string; delivery: WebhookDelivery; onClose: () => void }) {
  const query = useQuery({
    ...queryOf('get', '/api/webhooks/{id}/deliveries/{deliveryId}', atDelivery(id, delivery.id)),
    staleTime: 0,
    refetchOnWindowFocus: false,
  });
  const { data, error } = query;
  return (
    <Dialog
      opened
      onClose={onClose}
      title={eventLabel(delivery.event)}
      footer={
        <>
          <div className="cp-grow" />
          <Button size="md" onClick={onClose} data-autofocus>
            Close
          </Button>
        </>
      }
    >
      <p className="cp-subject">{formatDateTime(delivery.createdAt)}</p>
      {error && !data && <ErrorState title="The delivery could not be loaded" error={error} onRetry={() => void query.refetch()} />}
      {!error && !data && (
        <div role="status" aria-label="Loading">
          <div className="cp-bone" style={{ width: '60%' }} />
        </div>
      )}
      {data && (
        <>
          {data.reason && <p className="cp-question">{data.reason}</p>}
          <h2 className="whk-head">Sent</h2>
          <pre className="whk-body">{pretty(data.body)}</pre>
          <h2 className="whk-head">{data.responseStatus ? `Answer, status ${data.responseStatus}` : 'Answer'}</h2>
          {data.response ? <pre className="whk-body">{data.response}</pre> : <p className="cp-second">None, or an empty one.</p>}
        </>
      )}
    </Dialog>
  );
}
