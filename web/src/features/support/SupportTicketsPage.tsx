import { useQuery } from '@tanstack/react-query';
import { IconHelpCircle } from '@tabler/icons-react';
import { api } from '@/api/client';
import { queryOf } from '@/api/query';
import { CrudPage } from '@/shared/crud/CrudPage';
import { choiceField } from '@/shared/form/fields';
import { formatDateTime } from '@/shared/format';
import { ErrorState } from '@/shared/ui/blocks';
import { State } from './State';
import { severityLabel, STATE_CHOICES } from './words';
import './support.css';

const at = (id: string) => ({ params: { path: { id } } });
const ticketQuery = (id: string) => queryOf('get', '/api/admin/supporttickets/{id}', at(id));

const fields = { state: choiceField<string>('State', STATE_CHOICES, { required: true }) };

/** The support tickets of everybody, for the operators. */
export const SupportTicketsPage = () => (
  <CrudPage
    title="Support tickets"
    noun="support ticket"
    icon={IconHelpCircle}
    list={({ page, size, filter }) =>
      queryOf('get', '/api/admin/supporttickets', { params: { query: { state: filter('state'), page, pageSize: size } } })
    }
    columns={[
      { key: 'subject', title: 'Subject', primary: true, text: (ticket) => ticket.subject },
      { key: 'organization', title: 'Organization', width: 220, text: (ticket) => ticket.organizationName },
      { key: 'area', title: 'Area', width: 180, drop: 2, text: (ticket) => ticket.area },
      { key: 'severity', title: 'Severity', width: 96, numeric: true, render: (ticket) => ticket.severity },
      { key: 'createdAt', title: 'Sent', width: 204, numeric: true, drop: 1, render: (ticket) => formatDateTime(ticket.createdAt) },
      { key: 'state', title: 'State', width: 130, render: (ticket) => <State state={ticket.state} /> },
    ]}
    filters={[{ name: 'state', label: 'State', choices: STATE_CHOICES }]}
    fields={fields}
    read={ticketQuery}
    save={(id, { state }, version) => api.PUT('/api/admin/supporttickets/{id}', { ...at(id), body: { state: state ?? '', version } })}
    detail={(ticket) => <Details id={ticket.id} />}
    badge={(ticket) => <State state={ticket.state} />}
    isMuted={(ticket) => ticket.state === 'Closed'}
    words={{ emptyText: 'Requests from organizations appear here.', noMatchText: 'Try another state.' }}
  />
);

function Details({ id }: { id: string }) {
  const { data, error, refetch } = useQuery(ticketQuery(id));
  if (error && !data) return <ErrorState title="The ticket could not be loaded" error={error} onRetry={() => void refetch()} />;
  if (!data)
    return (
      <div role="status" aria-label="Loading">
        <div className="cp-bone" style={{ width: '60%' }} />
      </div>
    );
  return (
    <>
      <p className="sup-details">{data.details}</p>
      <p className="cp-second">
        {data.fullName} ({data.userName}) at {data.host || 'an unknown host'}. {severityLabel(data.severity)}.{' '}
        {data.isMailed ? 'Also sent by e-mail.' : 'Not sent by e-mail.'}
      </p>
    </>
  );
}
