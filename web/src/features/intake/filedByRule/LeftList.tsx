import { useQuery } from '@tanstack/react-query';
import { IconUserCheck } from '@tabler/icons-react';
import type { LeftByRule } from '@/api/types';
import { formatAddress, formatDateTime } from '@/shared/format';
import { paths } from '@/shared/paths';
import type { Column } from '@/shared/table/DataTable';
import { PagedList } from '@/shared/table/PagedList';
import type { useListState } from '@/shared/table/useListState';
import { EmptyState } from '@/shared/ui/blocks';
import { Status } from '@/shared/ui/status';
import { leftQuery } from './api';

type Row = LeftByRule & { id: string };

const nameOf = (row: Row) => row.subject || 'No subject';
const reasonOf = ({ reason }: Row) => reason.charAt(0).toUpperCase() + reason.slice(1);
const State = ({ of }: { of: Row }) => (
  <Status state={of.isProcessed ? 'Processed' : 'Received'}>{of.isProcessed ? 'Done' : 'Open'}</Status>
);

const columns: Column<Row>[] = [
  { key: 'time', title: 'Time', width: 170, numeric: true, drop: 1, text: (row) => formatDateTime(row.at) },
  { key: 'subject', title: 'Subject', primary: true, text: nameOf },
  { key: 'patient', title: 'Patient', width: 180, drop: 2, text: (row) => row.patientName },
  { key: 'from', title: 'From', width: 180, drop: 3, text: (row) => row.fromName || formatAddress(row.fromAddress) },
  { key: 'rule', title: 'Rule', width: 150, drop: 2, text: (row) => row.ruleName },
  { key: 'reason', title: 'Why', width: 300, text: reasonOf },
  { key: 'state', title: 'Status', width: 100, render: (row) => <State of={row} /> },
];

type Props = { list: ReturnType<typeof useListState>; request: Parameters<typeof leftQuery>[0] };

/** The messages that rules did not file, with the reasons. */
export function LeftList({ list, request }: Props) {
  const query = useQuery({ ...leftQuery(request), meta: { page: true } });
  return (
    <PagedList
      label="Messages left to people"
      noun="messages"
      query={query}
      list={list}
      columns={columns}
      name={nameOf}
      href={(row) => paths.intakeMessage(row.messageId)}
      badge={(row) => <State of={row} />}
      second={(row) => <span className="cp-ell">{reasonOf(row)}</span>}
      empty={
        <EmptyState
          icon={IconUserCheck}
          title="Nothing was left to people"
          text="Messages that an intake rule could not file for certain appear here, with the reason."
        />
      }
    />
  );
}
