import { useQuery } from '@tanstack/react-query';
import { IconMail } from '@tabler/icons-react';
import type { NamedMessage } from '@/api/types';
import { formatDateTime } from '@/shared/format';
import { paths } from '@/shared/paths';
import type { Column } from '@/shared/table/DataTable';
import { PagedList } from '@/shared/table/PagedList';
import { useListState } from '@/shared/table/useListState';
import { EmptyState } from '@/shared/ui/blocks';
import { messagesQuery } from './api';

const subject = (m: NamedMessage) => m.subject || 'No subject';
const way = (m: NamedMessage) => `${m.direction === 'Intake' ? 'From' : 'To'} ${m.party}`;
const state = (m: NamedMessage) => (m.isConfirmed ? m.status : `${m.status}, not filed yet`);

const columns: Column<NamedMessage>[] = [
  { key: 'subject', title: 'Subject', primary: true, text: subject },
  { key: 'type', title: 'Type', width: 110, drop: 2, text: (m) => m.documentType },
  { key: 'party', title: 'From or to', width: 170, drop: 1, text: way },
  { key: 'status', title: 'Status', width: 130, text: state },
  { key: 'date', title: 'Date', width: 180, numeric: true, text: (m) => formatDateTime(m.date) },
];

/** Messages in and out that name a patient. */
export function Messages({ id }: { id: string }) {
  const list = useListState({ size: 25 });
  const query = useQuery(messagesQuery(id, list.page, list.size));
  return (
    <PagedList
      label="Messages of the patient"
      noun="messages"
      query={query}
      list={list}
      columns={columns}
      name={subject}
      href={(m) => (m.direction === 'Intake' ? paths.intakeMessage(m.id) : paths.releaseMessage(m.id))}
      second={(m) => <span className="cp-ell">{[way(m), formatDateTime(m.date)].join(' · ')}</span>}
      empty={<EmptyState icon={IconMail} title="No messages" text="Messages filed or sent under this patient appear here." />}
    />
  );
}
