import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { IconCircleCheck } from '@tabler/icons-react';
import { queryOf } from '@/api/query';
import type { InterfaceRefusal } from '@/api/types';
import { formatCount, formatDateTime, plural } from '@/shared/format';
import type { Column } from '@/shared/table/DataTable';
import { PagedList } from '@/shared/table/PagedList';
import { useListState } from '@/shared/table/useListState';
import { EmptyState } from '@/shared/ui/blocks';
import classes from './interfaces.module.css';
import { kindOf, refusedOf } from './words';

const columns: Column<InterfaceRefusal>[] = [
  { key: 'lastAt', title: 'Last', width: 176, numeric: true, render: (r) => formatDateTime(r.lastAt) },
  { key: 'times', title: 'Times', width: 80, numeric: true, text: (r) => formatCount(r.times) },
  { key: 'sender', title: 'Sender', primary: true, text: refusedOf },
  { key: 'reason', title: 'Reason', text: (r) => r.reason },
  { key: 'sourceIp', title: 'Address', width: 140, numeric: true, text: (r) => r.sourceIp },
  { key: 'messageType', title: 'Message', width: 110, drop: 1, text: (r) => r.messageType },
];

/** The refusals of the last 30 days; repeated ones are counted. */
export function RefusalList() {
  const list = useListState({ size: 25 });
  const query = useQuery({
    ...queryOf('get', '/api/admin/interfacerefusals', { params: { query: { pageNumber: list.page, pageSize: list.size } } }),
    placeholderData: keepPreviousData,
    meta: { page: true },
  });
  return (
    <PagedList
      label="Refused messages"
      noun="refused messages"
      query={query}
      list={list}
      columns={columns}
      name={(r) => `${refusedOf(r)}, ${formatDateTime(r.lastAt)}`}
      empty={<EmptyState icon={IconCircleCheck} title="Nothing was refused" text="Refused messages appear here for 30 days." />}
      second={(r) => (
        <>
          <span className="cp-ell cp-grow">{r.reason}</span>
          <span>{plural(r.times, 'time')}</span>
        </>
      )}
      detail={(r) => <Details refusal={r} />}
    />
  );
}

/** Details for creating a connection: names, network and certificate. */
function Details({ refusal: r }: { refusal: InterfaceRefusal }) {
  const facts = [
    ['Kind', kindOf(r.kind)],
    ['First', formatDateTime(r.firstAt)],
    ['Sending application (MSH-3)', r.sendingApplication],
    ['Sending facility (MSH-4)', r.sendingFacility],
    ['Receiving facility (MSH-6)', r.receivingFacility],
    ['Certificate (SHA-256)', r.certificate],
  ].filter(([, value]) => value);
  return (
    <dl className={classes.facts}>
      {facts.map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
