import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ODataEvent } from '@/api/types';
import { formatDateTime } from '@/shared/format';
import { eventsQuery } from './api';
import { NestedGrid } from './NestedGrid';

const columns = [
  { title: 'Origin', cell: (event: ODataEvent) => event.Origin },
  { title: 'Event', cell: (event: ODataEvent) => event.EventType },
  { title: 'Date', cell: (event: ODataEvent) => formatDateTime(event.CreatedDate) },
  { title: 'Received', cell: (event: ODataEvent) => formatDateTime(event.SystemReceivedDate) },
];

/** The events of a message, five per page. */
export function EventsGrid({ mailMessageId }: { mailMessageId: number }) {
  const [page, setPage] = useState(1);
  const query = useQuery(eventsQuery(mailMessageId, page));
  return (
    <NestedGrid
      label="Events"
      columns={columns}
      query={query}
      rows={query.data?.value}
      total={query.data?.['@odata.count'] ?? 0}
      page={page}
      onPage={setPage}
      rowId={(event) => `${event.CreatedDate} ${event.EventType}`}
      empty="The message has no events yet."
    />
  );
}
