import { Table } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { formatDateTime } from '@/shared/format';
import { ListFooter } from '@/shared/table/ListFooter';
import { ErrorState } from '@/shared/ui/blocks';
import { eventsQuery } from './api';

const PAGE_SIZE = 10;

/** `SignedIn` as `Signed in`. */
const words = (type: string) => type.replace(/(?<=[a-z])[A-Z]/g, (c) => ` ${c.toLowerCase()}`);

/** A user's activity in the organization. */
export function Activity({ userId }: { userId: string }) {
  const [page, setPage] = useState(1);
  const query = useQuery(eventsQuery(userId, page, PAGE_SIZE));
  if (query.error && !query.data)
    return <ErrorState title="The activity could not be loaded" error={query.error} onRetry={() => void query.refetch()} />;
  if (query.data?.totalCount === 0) return <p className="cp-second">Nothing yet.</p>;
  return (
    <div>
      <Table className="cp-table cp-mini cp-flat" aria-label="Activity" aria-busy={query.isFetching}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Activity</Table.Th>
            <Table.Th>From</Table.Th>
            <Table.Th w={190}>Date</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {query.data?.items.map((e) => (
            <Table.Tr key={e.id}>
              <Table.Td>
                {words(e.eventType)} <span className="cp-muted">{e.succeeded ? e.objectType : `${e.objectType}, failed`}</span>
              </Table.Td>
              <Table.Td className="cp-num">{e.sourceIp}</Table.Td>
              <Table.Td className="cp-num">{formatDateTime(e.createdOn)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {query.data && query.data.totalCount > PAGE_SIZE && (
        <ListFooter
          page={page}
          size={PAGE_SIZE}
          count={query.data.items.length}
          total={query.data.totalCount}
          capped={query.data.totalIsCapped}
          onPage={setPage}
          noun="entries"
        />
      )}
    </div>
  );
}
