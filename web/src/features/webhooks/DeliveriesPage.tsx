import { Button, Menu } from '@mantine/core';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { IconListDetails, IconRepeat, IconSend } from '@tabler/icons-react';
import { useState } from 'react';
import { queryOf, refresh } from '@/api/query';
import type { WebhookDelivery } from '@/api/types';
import { formatCount, formatDateTime, plural } from '@/shared/format';
import { notify } from '@/shared/notify';
import { pathTo } from '@/shared/paths';
import type { Column } from '@/shared/table/DataTable';
import { ChoiceFilter } from '@/shared/table/filters';
import { PagedList } from '@/shared/table/PagedList';
import { useListState } from '@/shared/table/useListState';
import { useGo } from '@/shared/ui/AppLink';
import { useRun } from '@/shared/ui/AskDialog';
import { BackHead } from '@/shared/ui/BackHead';
import { EmptyState } from '@/shared/ui/blocks';
import { Status } from '@/shared/ui/status';
import { at, LIST, sendAgain, sendTest, webhookQuery } from './api';
import { DeliveryDialog } from './DeliveryDialog';
import { ResendDialog } from './ResendDialog';
import { eventLabel } from './words';

const POLL_MS = 2_000;
const STATES = {
  Waiting: { state: 'Pending', text: 'Waiting' },
  Delivered: { state: 'Active', text: 'Delivered' },
  Failed: { state: 'Failed', text: 'Failed' },
} as const;
const CHOICES = Object.entries(STATES).map(([value, { text }]) => ({ value, label: text }));

function State({ delivery: { status } }: { delivery: WebhookDelivery }) {
  const { state, text } = STATES[status];
  return <Status state={state}>{text}</Status>;
}
const answerOf = ({ responseStatus, milliseconds, reason }: WebhookDelivery) =>
  reason || (responseStatus ? `Status ${responseStatus} after ${formatCount(milliseconds ?? 0)} ms` : '');
const nameOf = (delivery: WebhookDelivery) => `${eventLabel(delivery.event)}, ${formatDateTime(delivery.createdAt)}`;

const columns: Column<WebhookDelivery>[] = [
  { key: 'createdAt', title: 'Time', width: 204, numeric: true, render: (d) => formatDateTime(d.createdAt) },
  { key: 'event', title: 'Event', width: 180, primary: true, text: (d) => eventLabel(d.event) },
  { key: 'status', title: 'State', width: 130, render: (d) => <State delivery={d} /> },
  { key: 'attempts', title: 'Attempts', width: 92, numeric: true, drop: 1, render: (d) => d.attempts },
  { key: 'answer', title: 'Answer', text: answerOf },
];

/** The deliveries of a webhook, with their results. */
export function DeliveriesPage({ id }: { id: string }) {
  const go = useGo();
  const client = useQueryClient();
  const [opened, open] = useState<WebhookDelivery | null>(null);
  const [resends, setResends] = useState(false);
  const list = useListState({ size: 25 });
  const { page, size } = list;
  const hook = useQuery(webhookQuery(id));
  const status = list.filter('status');
  const query = useQuery({
    ...queryOf('get', '/api/webhooks/{id}/deliveries', {
      params: { ...at(id).params, query: { status: status as string | undefined, page, pageSize: size } },
    }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.items.some((d) => d.status === 'Waiting') ? POLL_MS : false),
  });
  const changed = () => refresh(client, LIST);
  const test = useRun({
    run: async () => {
      await sendTest(id);
      await changed();
    },
    failed: 'The test could not be sent. Please try again.',
  });
  const again = async (delivery: WebhookDelivery) => {
    await sendAgain(id, delivery.id);
    await changed();
    notify('success', 'The event is being sent again.');
  };
  const back = () => go(pathTo('/account/settings/webhooks', {}));
  const isSending = Boolean(hook.data?.isActive && !hook.data.pausedAt);
  return (
    <>
      <BackHead
        title={hook.data ? `Deliveries to ${hook.data.name}` : 'Deliveries'}
        back={{ label: 'Back to webhooks', run: back }}
        line={hook.data?.url}
        actions={
          <Button
            variant="default"
            leftSection={<IconSend size={16} />}
            disabled={!isSending}
            loading={test.isPending}
            onClick={() => test.mutate()}
          >
            Send a test
          </Button>
        }
      />
      <div className="cp-bar">
        <ChoiceFilter
          single
          label="State"
          choices={CHOICES}
          value={[status ?? []].flat().map(String)}
          onChange={([value]) => list.setFilter('status', value)}
        />
        <div className="cp-grow" />
        <Button variant="default" leftSection={<IconRepeat size={16} />} disabled={!isSending} onClick={() => setResends(true)}>
          Send failed again
        </Button>
      </div>
      <PagedList
        label="Deliveries"
        noun="deliveries"
        query={query.error ? { ...query, data: undefined } : query}
        list={list}
        columns={columns}
        name={nameOf}
        onOpen={open}
        empty={
          <EmptyState
            icon={IconListDetails}
            title={status ? 'No delivery matches' : 'No deliveries yet'}
            text="Events appear here as they happen, for as long as the installation keeps them."
          />
        }
        second={(d) => <span className="cp-ell">{answerOf(d) || formatDateTime(d.createdAt)}</span>}
        badge={(d) => <State delivery={d} />}
        menu={(d) => (
          <>
            <Menu.Label>{nameOf(d)}</Menu.Label>
            <Menu.Item leftSection={<IconListDetails size={16} stroke={1.6} />} onClick={() => open(d)}>
              Show
            </Menu.Item>
            {isSending && d.status !== 'Waiting' && (
              <Menu.Item leftSection={<IconRepeat size={16} stroke={1.6} />} onClick={() => void again(d)}>
                Send again
              </Menu.Item>
            )}
          </>
        )}
      />
      {opened && <DeliveryDialog id={id} delivery={opened} onClose={() => open(null)} />}
      {resends && (
        <ResendDialog
          id={id}
          onClose={() => setResends(false)}
          onSent={(count, hasMore) => {
            const words = count === 0 ? 'No event failed since then.' : `${plural(count, 'event')} sent again.`;
            notify(count === 0 ? 'info' : 'success', hasMore ? `${words} There are more. Please repeat this.` : words);
            return changed();
          }}
        />
      )}
    </>
  );
}
