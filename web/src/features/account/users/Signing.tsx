import { Table } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { formatDateTime, plural } from '@/shared/format';
import { ListFooter } from '@/shared/table/ListFooter';
import { ErrorState } from '@/shared/ui/blocks';
import { Status } from '@/shared/ui/status';
import { requestsQuery, signaturesOfQuery } from './api';

const PAGE_SIZE = 10;
const WORDS = { Waiting: 'To sign', Signed: 'Signed', Declined: 'Declined', Cancelled: 'Cancelled' };

/** The documents signed by a user, with a fingerprint of each file. */
export function Signatures({ userId }: { userId: string }) {
  const [page, setPage] = useState(1);
  const query = useQuery(signaturesOfQuery(userId, page, PAGE_SIZE));
  const { data } = query;
  if (query.error && !data)
    return <ErrorState title="The signatures could not be loaded" error={query.error} onRetry={() => void query.refetch()} />;
  if (data?.totalCount === 0) return <p className="cp-second">Nothing yet.</p>;
  return (
    <>
      <Table className="cp-table cp-mini cp-flat" aria-label="Signatures" aria-busy={query.isFetching}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Documents</Table.Th>
            <Table.Th>Requested by</Table.Th>
            <Table.Th w={190}>Signed</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {data?.items.map((s) => (
            <Table.Tr key={s.id}>
              <Table.Td title={s.files.map((f) => `SHA-256 ${f.sha256}`).join('\n')}>
                {plural(s.files.length, 'document')}{' '}
                <span className="cp-muted">SHA-256 {s.files.map((f) => f.sha256.slice(0, 12)).join(', ')}</span>
              </Table.Td>
              <Table.Td>{s.requestedBy}</Table.Td>
              <Table.Td className="cp-num">{formatDateTime(s.createdOn)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {data && data.totalCount > PAGE_SIZE && (
        <ListFooter
          page={page}
          size={PAGE_SIZE}
          count={data.items.length}
          total={data.totalCount}
          capped={data.totalIsCapped}
          onPage={setPage}
          noun="signatures"
        />
      )}
    </>
  );
}

/** The signatures that a user requested from colleagues. */
export function Requests({ userId }: { userId: string }) {
  const [page, setPage] = useState(1);
  const query = useQuery(requestsQuery(userId, page, PAGE_SIZE));
  const { data } = query;
  if (query.error && !data)
    return <ErrorState title="The requests could not be loaded" error={query.error} onRetry={() => void query.refetch()} />;
  if (data?.totalCount === 0) return <p className="cp-second">Nothing yet.</p>;
  return (
    <>
      <Table className="cp-table cp-mini cp-flat" aria-label="Requests" aria-busy={query.isFetching}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Signer</Table.Th>
            <Table.Th>Status</Table.Th>
            <Table.Th w={190}>Requested</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {data?.items.map((r) => (
            <Table.Tr key={r.id}>
              <Table.Td>{r.signer}</Table.Td>
              <Table.Td>
                <Status state={r.state}>{WORDS[r.state]}</Status>
              </Table.Td>
              <Table.Td className="cp-num">{formatDateTime(r.createdOn)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {data && data.totalCount > PAGE_SIZE && (
        <ListFooter
          page={page}
          size={PAGE_SIZE}
          count={data.items.length}
          total={data.totalCount}
          capped={data.totalIsCapped}
          onPage={setPage}
          noun="requests"
        />
      )}
    </>
  );
}
