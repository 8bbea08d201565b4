import { Select, Table } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { activityTypesQuery } from '@/domain/messaging/ActivityDialog';
import { actWords, foldRepeats, kindWords } from '@/domain/messaging/activity';
import { formatDateTime, formatCount } from '@/shared/format';
import { ListFooter } from '@/shared/table/ListFooter';
import { ErrorState } from '@/shared/ui/blocks';
import { eventsQuery } from './api';

const PAGE_SIZE = 10;

/** A user's activity in the organization. */
export function Activity({ userId }: { userId: string }) {
  const [page, setPage] = useState(1);
  const [type, setType] = useState<string | null>(null);
  const types = useQuery(activityTypesQuery);
  const query = useQuery(eventsQuery(userId, type, page, PAGE_SIZE));
  if (query.error && !query.data)
    return <ErrorState title="The activity could not be loaded" error={query.error} onRetry={() => void query.refetch()} />;
  return (
    <div>
      <Select
        label="Activity"
        placeholder="All"
        clearable
        searchable
        w={260}
        data={(types.data ?? []).map((t) => ({ value: t, label: actWords(t) }))}
        value={type}
        onChange={(chosen) => {
          setType(chosen);
          setPage(1);
        }}
      />
      {query.data?.totalCount === 0 && <p className="cp-second">Nothing yet.</p>}
      <Table className="cp-table cp-mini cp-flat" aria-label="Activity" aria-busy={query.isFetching}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Activity</Table.Th>
            <Table.Th>From</Table.Th>
            <Table.Th w={190}>Date</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {foldRepeats(query.data?.items ?? [], (e) => `${e.objectType} ${e.objectId} ${e.succeeded}`).map(({ entry: e, times }) => (
            <Table.Tr key={e.id}>
              <Table.Td>
                {actWords(e.eventType)}{' '}
                <span className="cp-muted">
                  {[kindWords(e.objectType), e.what, e.succeeded ? '' : 'failed', times > 1 ? `${formatCount(times)} times` : '']
                    .filter(Boolean)
                    .join(', ')}
                </span>
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
