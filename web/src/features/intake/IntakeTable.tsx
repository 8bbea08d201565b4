import { FoundIn } from '@/domain/messaging/FoundIn';
import { formatAddress, formatDateTime, formatWhen, splitAddresses, truncate } from '@/shared/format';
import { paths } from '@/shared/paths';
import type { Column } from '@/shared/table/DataTable';
import type { IntakeItem } from '@/api/types';
import { AppLink } from '@/shared/ui/AppLink';
import { Source, Status, Who } from '@/shared/ui/status';
import { PROCESS_TYPES, senderOf, titleOf } from './list';
import { others, PatientDoubt, PatientOf, Presence, Snoozed, Tags, TypeOf, Unread, Urgent } from './parts';

const processedAs = (m: IntakeItem) => PROCESS_TYPES.find((t) => t.value === m.processedType)?.label;
const shortName = (name: string) => {
  const [first, ...rest] = name.split(' ');
  const last = rest.at(-1);
  return last ? `${first} ${last[0]}.` : name;
};

/** Columns are hidden in the order of `drop` when there is little room. */
export const intakeColumns = (userId: string, onOpen: () => void): Column<IntakeItem>[] => [
  {
    key: 'sourceType',
    title: 'Source',
    width: 66,
    render: (m) => (
      <div className="cp-cell cp-tight">
        <Unread on={!m.isRead} recent={m.recent} />
        <Source kind={m.sourceType} pages={m.properties?.faxPageCount} />
      </div>
    ),
  },
  {
    key: 'fromAddress',
    title: 'From',
    width: 150,
    sortable: true,
    drop: 3,
    render: (m) => senderOf(m, formatAddress),
    text: (m) => m.fromAddress,
  },
  {
    key: 'toAddress',
    title: 'To',
    width: 150,
    drop: 0,
    render: (m) => <span className="cp-ell cp-second">{splitAddresses(m.toAddress).map(formatAddress).join(', ')}</span>,
    text: (m) => m.toAddress,
  },
  {
    key: 'subject',
    title: 'Subject',
    render: (m) => (
      <div className="cp-cell">
        <AppLink href={paths.intakeMessage(m.id)} className="cp-ell u cp-ink int-link" onClick={onOpen}>
          {truncate(titleOf(m))}
        </AppLink>
        {m.isUrgent && <Urgent />}
        {m.snoozedUntil && <Snoozed until={m.snoozedUntil} />}
        <Tags of={m.tags} />
        <FoundIn places={m.foundIn} />
        <Presence people={others(m, userId)} />
      </div>
    ),
    text: (m) => m.subject,
  },
  {
    key: 'patientName',
    title: 'Patient',
    width: 160,
    render: (m) => (
      <div className="cp-cell cp-tight">
        <PatientDoubt of={m.patientDoubt} />
        <PatientOf of={m} />
      </div>
    ),
    text: (m) => m.patientName || m.proposal?.patientName || '',
  },
  {
    key: 'documentType',
    title: 'Document type',
    width: 132,
    drop: 1,
    render: (m) => <TypeOf of={m} />,
    text: (m) => m.documentType || m.proposal?.documentType || '',
  },
  {
    key: 'status',
    title: 'Status',
    width: 150,
    sortable: true,
    render: (m) => (
      <div className="cp-cell cp-tight">
        <Status state={m.status} />
        {processedAs(m) && <span className="cp-ell cp-muted">{processedAs(m)}</span>}
      </div>
    ),
    text: (m) => processedAs(m) ?? m.status,
  },
  {
    key: 'assignedTo',
    title: 'Assigned to',
    width: 108,
    drop: 2,
    render: (m) =>
      m.assignedTo ? (
        <div className="cp-cell cp-tight">
          <Who name={m.assignedTo.name} />
          <span className="cp-ell">{shortName(m.assignedTo.name)}</span>
        </div>
      ) : (
        <span className="cp-muted">Unassigned</span>
      ),
    text: (m) => m.assignedTo?.name ?? '',
  },
  {
    key: 'createdDate',
    title: 'Received',
    width: 126,
    sortable: true,
    numeric: true,
    render: (m) => formatWhen(m.createdDate),
    text: (m) => formatDateTime(m.createdDate),
  },
];
