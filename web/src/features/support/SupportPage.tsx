import { useQuery } from '@tanstack/react-query';
import { IconLifebuoy } from '@tabler/icons-react';
import { api } from '@/api/client';
import { TicketForm } from '@/api/limits.gen';
import { queryOf } from '@/api/query';
import { CrudPage } from '@/shared/crud/CrudPage';
import { choiceField, textField } from '@/shared/form/fields';
import { formatDateTime } from '@/shared/format';
import { State } from './State';
import { SEVERITIES, severityLabel } from './words';
import './support.css';

const LIST = '/api/supporttickets';

const fieldsOf = (areas: string[], isMailed: boolean) => ({
  area: choiceField<string>(
    'Area',
    areas.map((area) => ({ value: area, label: area })),
    { required: true },
  ),
  severity: choiceField<string>('Severity', SEVERITIES, { required: true }),
  subject: textField('Subject'),
  details: textField('Details', {
    rows: 6,
    description: isMailed
      ? 'Your name, user name and organization are included. Please do not write anything about a patient: this is sent by e-mail.'
      : 'Your name, user name and organization are included. No e-mail address is configured for support, so operators see it in their console. Please do not write anything about a patient.',
  }),
});

/** One's own support tickets. */
export function SupportPage() {
  const choices = useQuery(queryOf('get', '/api/supporttickets/choices'));
  return (
    <CrudPage
      title="Support"
      noun="support ticket"
      icon={IconLifebuoy}
      list={({ page, size }) => queryOf('get', LIST, { params: { query: { page, pageSize: size } } })}
      columns={[
        { key: 'subject', title: 'Subject', primary: true, text: (ticket) => ticket.subject },
        { key: 'area', title: 'Area', width: 220, drop: 1, text: (ticket) => ticket.area },
        { key: 'severity', title: 'Severity', width: 280, drop: 2, text: (ticket) => severityLabel(ticket.severity) },
        { key: 'createdAt', title: 'Sent', width: 204, numeric: true, render: (ticket) => formatDateTime(ticket.createdAt) },
        { key: 'state', title: 'State', width: 130, render: (ticket) => <State state={ticket.state} /> },
      ]}
      fields={fieldsOf(choices.data?.areas ?? [], choices.data?.isMailed ?? false)}
      limits={TicketForm}
      create={({ area, severity, subject, details }) =>
        api.POST('/api/supporttickets', { body: { area: area ?? '', severity: Number(severity), subject, details } })
      }
      detail={(ticket) => <p className="sup-details">{ticket.details}</p>}
      badge={(ticket) => <State state={ticket.state} />}
      words={{
        create: 'New ticket',
        createLabel: 'Send',
        created: 'Your support ticket was sent.',
        notSaved: 'The support ticket could not be sent. Please try again.',
        emptyText: 'Ask the operators of this installation for help, and follow the progress here.',
      }}
    />
  );
}
