import { IconKey, IconListDetails, IconPlayerPlay, IconSend, IconWebhook } from '@tabler/icons-react';
import { useState } from 'react';
import { api } from '@/api/client';
import { WebhookForm } from '@/api/limits.gen';
import { queryOf } from '@/api/query';
import type { Webhook } from '@/api/types';
import { CrudPage, type RowAction } from '@/shared/crud/CrudPage';
import { checkboxField, choiceField, choicesField, passwordField, textField } from '@/shared/form/fields';
import { formatDateTime } from '@/shared/format';
import { pathTo } from '@/shared/paths';
import { checkCharacters, isSecureUrl } from '@/shared/rules/fields';
import { useGo } from '@/shared/ui/AppLink';
import { Status } from '@/shared/ui/status';
import { at, LIST, resume, sendTest, webhookQuery } from './api';
import { SecretDialog } from './SecretDialog';
import { AUTHENTICATION, EVENTS, eventLabel, stateOf } from './words';

const hasCredential = ({ authenticationType }: Record<string, unknown>) => authenticationType !== 'None';

const fields = {
  name: textField('Name'),
  url: textField('Address', {
    description: 'An https address of your system. Each event is sent to it as a POST request.',
    check: (url) => (isSecureUrl(url) ? null : 'Please enter an https address, such as https://hooks.example.org/carepost.'),
  }),
  events: choicesField<string>('Events', EVENTS, {
    check: (events) => (events.length > 0 ? null : 'Please choose at least one event.'),
  }),
  authenticationType: choiceField<string>('Authentication', AUTHENTICATION, {
    initial: 'None',
    required: true,
    description: 'Every request is signed. Your system can require more.',
  }),
  userName: textField('User name', {
    when: ({ authenticationType }) => authenticationType === 'Basic',
    required: 'Please enter the user name.',
    check: checkCharacters,
  }),
  credential: passwordField('Password or token', { when: hasCredential, description: 'Leave empty to keep the saved one.' }),
  isActive: checkboxField('Active', { initial: true }),
};

const deliveriesOf = (id: string) => pathTo('/account/settings/webhooks/$id', { id });
const eventsOf = ({ events }: Webhook) => events.map(eventLabel).join(', ');

/** The webhooks of the organization. */
export function WebhooksPage() {
  const go = useGo();
  const [shown, show] = useState<Webhook | null>(null);
  const menu = (hook: Webhook): RowAction[] => {
    const isSending = hook.isActive && !hook.pausedAt;
    const acts: (RowAction | false)[] = [
      { label: 'Deliveries', icon: IconListDetails, run: () => go(deliveriesOf(hook.id)) },
      isSending && {
        label: 'Send a test',
        icon: IconSend,
        ask: {
          title: 'Send a test',
          subject: hook.name,
          question: `A test event is sent once to ${hook.url}. The result appears in the list of deliveries.`,
          label: 'Send',
          run: async () => {
            await sendTest(hook.id);
            go(deliveriesOf(hook.id));
          },
          failed: 'The test could not be sent. Please try again.',
        },
      },
      Boolean(hook.pausedAt) && {
        label: 'Resume',
        icon: IconPlayerPlay,
        ask: {
          title: 'Resume webhook',
          subject: hook.name,
          question: 'New events are sent again. You can resend failed ones from the list of deliveries.',
          label: 'Resume',
          run: () => resume(hook.id),
          done: 'The webhook was resumed.',
          failed: 'The webhook could not be resumed. Please try again.',
        },
      },
      { label: 'Signing secret', icon: IconKey, run: () => show(hook) },
    ];
    return acts.filter((act) => act !== false);
  };
  return (
    <>
      <CrudPage
        title="Webhooks"
        noun="webhook"
        icon={IconWebhook}
        list={({ search, page, size }) => queryOf('get', LIST, { params: { query: { search, page, pageSize: size } } })}
        columns={[
          { key: 'name', title: 'Name', primary: true, width: 220, text: (hook) => hook.name },
          { key: 'url', title: 'Address', text: (hook) => hook.url },
          { key: 'events', title: 'Events', drop: 1, text: eventsOf },
          { key: 'state', title: 'State', width: 130, render: (hook) => <State hook={hook} /> },
        ]}
        search="Search by name or address"
        fields={fields}
        limits={WebhookForm}
        isSecret
        read={webhookQuery}
        create={(body) => api.POST('/api/webhooks', { body: sent(body) })}
        save={(id, values, version) => api.PUT('/api/webhooks/{id}', { ...at(id), body: { ...sent(values), version } })}
        remove={({ id }) => api.DELETE('/api/webhooks/{id}', at(id))}
        menu={menu}
        isMuted={(hook) => !hook.isActive}
        badge={(hook) => <State hook={hook} />}
        second={(hook) => <span className="cp-ell">{hook.url}</span>}
        words={{
          emptyText: 'A webhook notifies your system of message events as they happen.',
          deleteQuestion: 'No more events are sent to it, and its list of deliveries is deleted. Are you sure?',
        }}
      />
      {shown && <SecretDialog hook={shown} onClose={() => show(null)} />}
    </>
  );
}

type Values = {
  name: string;
  url: string;
  events: string[];
  authenticationType: string | null;
  userName: string;
  credential: string;
  isActive: boolean;
};
const sent = (values: Values) => ({ ...values, authenticationType: values.authenticationType ?? 'None' });

function State({ hook }: { hook: Webhook }) {
  const { state, text } = stateOf(hook);
  const since = hook.pausedAt ?? hook.failingSince;
  return (
    <span title={since ? `Since ${formatDateTime(since)}` : undefined}>
      <Status state={state}>{text}</Status>
    </span>
  );
}
