import { Button, Table } from '@mantine/core';
import { keepPreviousData, queryOptions, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useState } from 'react';
import { quiet } from '@/api/client';
import { itemsOf, queryOf } from '@/api/query';
import type { AuditEntry } from '@/api/types';
import { DateInput } from '@/shared/form/DateInput';
import { formatCount, formatDateTime } from '@/shared/format';
import { Select } from '@/shared/form/Select';
import { paths, pathTo } from '@/shared/paths';
import { endOfDay, startOfDay } from '@/shared/rules/dates';
import { ListFooter } from '@/shared/table/ListFooter';
import { ErrorState } from '@/shared/ui/blocks';
import { Dialog } from '@/shared/ui/Dialog';
import { AppLink } from '@/shared/ui/AppLink';
import { useViewport } from '@/shared/useViewport';
import { actWords, foldRepeats } from './activity';

const PAGE_SIZE = 10;
type Filter = { eventType?: string; start?: string; end?: string; page: number };

export const activityQuery = (messageId: string, { eventType, start, end, page }: Filter, pageSize = PAGE_SIZE) =>
  queryOptions({
    ...queryOf('get', '/api/audit/{type}/{id}', {
      params: {
        path: { type: 'message', id: messageId },
        query: { eventType, start: start && startOfDay(start), end: end && endOfDay(end), page, pageSize },
      },
      ...quiet,
    }),
    placeholderData: keepPreviousData,
  });

/** The kinds of audited acts. */
export const activityTypesQuery = itemsOf(queryOf('get', '/api/audit/types', quiet));

/** The audit trail of a message, for administrators. */
export function ActivityDialog({ messageId, opened, onClose }: { messageId: string; opened: boolean; onClose: () => void }) {
  const [filter, setFilter] = useState<Filter>({ page: 1 });
  const types = useQuery({ ...activityTypesQuery, enabled: opened });
  const entries = useQuery({ ...activityQuery(messageId, filter), enabled: opened });
  const set = (change: Partial<Filter>) => setFilter({ ...filter, page: 1, ...change });
  return (
    <Dialog
      opened={opened}
      onClose={onClose}
      title="Activity"
      footer={
        <>
          <div className="cp-grow" />
          <Button size="md" variant="default" onClick={onClose}>
            Close
          </Button>
        </>
      }
    >
      <div className="cp-row cp-activityfilter">
        <AuditFilter types={types.data} filter={filter} onChange={set} data-autofocus />
      </div>
      <AuditEntries entries={entries} page={filter.page} onPage={(page) => setFilter({ ...filter, page })} />
    </Dialog>
  );
}

type Narrowed = { eventType?: string; start?: string; end?: string };
type AuditFilterProps = {
  types: string[] | undefined;
  filter: Narrowed;
  onChange: (change: Narrowed) => void;
  'data-autofocus'?: boolean;
};

/** Filter by kind of act and by dates. */
export const AuditFilter = ({ types = [], filter, onChange, ...rest }: AuditFilterProps) => (
  <>
    <Select
      label="Activity"
      placeholder="All"
      clearable
      data={types.map((t) => ({ value: t, label: actWords(t) }))}
      value={filter.eventType ?? null}
      onChange={(v) => onChange({ eventType: v ?? undefined })}
      {...rest}
    />
    <DateInput label="From" value={filter.start ?? ''} onChange={(start) => onChange({ start: start || undefined })} />
    <DateInput label="To" value={filter.end ?? ''} onChange={(end) => onChange({ end: end || undefined })} />
  </>
);

type Entry = AuditEntry;
type EntriesProps = {
  entries: UseQueryResult<{ items: Entry[]; totalCount: number; totalIsCapped: boolean }>;
  page: number;
  onPage: (page: number) => void;
  /** Shows the object of each entry, where they differ. */
  namesObjects?: boolean;
};

/** Screens by the names of the trail. */
const SCREENS: Record<string, (e: Entry) => string> = {
  user: (e) => paths.user(e.objectId),
  triagebatch: (e) => paths.triageBatch(e.objectId),
  webhook: (e) => pathTo('/account/settings/webhooks/$id', { id: e.objectId }),
  intakerule: (e) => pathTo('/account/settings/intakerules', {}, { edit: e.objectId }),
  releasetype: (e) => pathTo('/account/settings/releasetypes', {}, { edit: e.objectId }),
  documentsource: (e) => (e.objectName.includes('@') ? pathTo('/account/settings/directaddresses', {}) : paths.fax('numbers')),
};

/** The screen of an entry's object, if it has one. */
function screenOf(e: Entry): string | undefined {
  if (e.messageId) return e.direction === 'Intake' ? paths.intakeMessage(e.messageId) : paths.releaseMessage(e.messageId);
  // An object without a name is deleted or may not be read.
  return e.objectName ? SCREENS[e.objectType]?.(e) : undefined;
}

/** The object of an entry: its name, else its id. */
function AuditObject({ entry: e }: { entry: Entry }) {
  const to = screenOf(e);
  const name = e.objectName || (to ? 'Open' : <span className="cp-mono">{e.objectId}</span>);
  return to ? (
    <AppLink className="cp-link" href={to}>
      {name}
    </AppLink>
  ) : (
    name
  );
}

/** A page of the audit trail. */
export function AuditEntries({ entries, page, onPage, namesObjects }: EntriesProps) {
  const { isPhone } = useViewport();
  const total = entries.data?.totalCount ?? 0;
  return (
    <>
      {entries.isError ? (
        <ErrorState title="The activity could not be loaded" error={entries.error} onRetry={() => void entries.refetch()} />
      ) : (
        <Table className="cp-table cp-mini cp-flat" aria-label="Activity" aria-busy={entries.isFetching}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>User</Table.Th>
              <Table.Th>Type</Table.Th>
              {namesObjects && <Table.Th>About</Table.Th>}
              <Table.Th w={isPhone ? 168 : 190}>Date</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {foldRepeats(entries.data?.items ?? [], (e) => `${e.createdBy} ${e.objectId}`).map(({ entry: e, times }) => (
              <Table.Tr key={e.id}>
                <Table.Td title={e.createdBy ?? undefined}>{e.createdBy}</Table.Td>
                <Table.Td>
                  {actWords(e.eventType)}
                  <span className="cp-muted">
                    {e.what && ` ${e.what}`}
                    {times > 1 && ` ${formatCount(times)} times`}
                  </span>
                </Table.Td>
                {namesObjects && (
                  <Table.Td title={e.objectName || e.objectId}>
                    <AuditObject entry={e} />
                  </Table.Td>
                )}
                <Table.Td className="cp-num">{formatDateTime(e.createdOn)}</Table.Td>
              </Table.Tr>
            ))}
            {entries.data?.items.length === 0 && (
              <Table.Tr>
                <Table.Td colSpan={namesObjects ? 4 : 3}>There are no results matching your criteria.</Table.Td>
              </Table.Tr>
            )}
          </Table.Tbody>
        </Table>
      )}
      {total > PAGE_SIZE && (
        <ListFooter
          page={page}
          size={PAGE_SIZE}
          count={entries.data?.items.length ?? 0}
          total={total}
          capped={entries.data?.totalIsCapped}
          onPage={onPage}
          noun="entries"
        />
      )}
    </>
  );
}
