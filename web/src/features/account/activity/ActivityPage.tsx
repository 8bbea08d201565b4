import { Button, Menu } from '@mantine/core';
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { IconFileAnalytics, IconFolderOpen, IconHistory, IconListDetails, IconUserShare } from '@tabler/icons-react';
import { useState } from 'react';
import { quiet } from '@/api/client';
import { queryOf } from '@/api/query';
import type { MessageEvent } from '@/api/types';
import { isAdministrator } from '@/app/access';
import { useProfile } from '@/app/session';
import { ActivityReportDialog } from '@/domain/messaging/ActivityReportDialog';
import { assignableQuery } from '@/domain/messaging/api';
import { formatAddress, formatDateTime } from '@/shared/format';
import { paths } from '@/shared/paths';
import { endOfDay, startOfDay } from '@/shared/rules/dates';
import { EVENT_TYPES } from '@/shared/rules/events';
import type { Column } from '@/shared/table/DataTable';
import { ChoiceFilter, DateRangeFilter } from '@/shared/table/filters';
import { listOf } from '@/shared/table/listSearch';
import { PagedList } from '@/shared/table/PagedList';
import { useListState } from '@/shared/table/useListState';
import { useGo } from '@/shared/ui/AppLink';
import { EmptyState } from '@/shared/ui/blocks';
import { PageHead } from '@/shared/ui/PageHead';
import { Status } from '@/shared/ui/status';
import { AuditTrailDialog } from './AuditTrailDialog';
import { DisclosuresDialog } from './DisclosuresDialog';
import type { ActivitySearch } from './search';

const PAGE_SIZE = 25;

const eventsQuery = ({ events, person, from, until }: ActivitySearch, pageStart: number, pageSize: number) =>
  queryOptions({
    ...queryOf('get', '/api/events', {
      params: {
        query: {
          eventTypes: events,
          userId: person,
          start: from && startOfDay(from),
          end: until && endOfDay(until),
          pageStart,
          pageSize,
        },
      },
      ...quiet,
    }),
    placeholderData: keepPreviousData,
    meta: { page: true },
  });

const subjectOf = (e: MessageEvent) => (e.isDeleted ? 'Deleted message' : e.subject || 'No subject');
const otherSide = (e: MessageEvent) => formatAddress(e.direction === 'Intake' ? e.fromAddress : e.toAddress);
const hrefOf = (e: MessageEvent) =>
  e.isDeleted ? undefined : e.direction === 'Intake' ? paths.intakeMessage(e.messageId) : paths.releaseMessage(e.messageId);

const columns: Column<MessageEvent>[] = [
  { key: 'event', title: 'Event', width: 128, render: (e) => <Status state={e.eventType} /> },
  { key: 'subject', title: 'Message', primary: true, text: subjectOf },
  { key: 'direction', title: 'Direction', width: 104, drop: 2, text: (e) => e.direction },
  { key: 'other', title: 'Other party', width: 240, drop: 1, text: otherSide },
  { key: 'person', title: 'Person', width: 170, text: (e) => e.userName, render: (e) => e.userName || <span className="cp-muted">–</span> },
  { key: 'at', title: 'Time', width: 190, numeric: true, render: (e) => formatDateTime(e.at) },
];

/** The message events of the organization. */
export function ActivityPage() {
  const go = useGo();
  const list = useListState<ActivitySearch>({ size: PAGE_SIZE });
  const { search, page, size, set } = list;
  const query = useQuery(eventsQuery(search, page, size));
  const people = useQuery(assignableQuery);
  const [isReporting, report] = useState(false);
  const [isAccounting, account] = useState(false);
  const [isTrailing, trail] = useState(false);
  const isAdmin = isAdministrator(useProfile());
  const clear = () => set({ events: undefined, person: undefined, from: undefined, until: undefined });
  return (
    <>
      <PageHead
        title="Activity"
        actions={
          <>
            {isAdmin && (
              <Button variant="default" leftSection={<IconListDetails size={16} stroke={1.6} />} onClick={() => trail(true)}>
                Audit trail
              </Button>
            )}
            <Button variant="default" leftSection={<IconUserShare size={16} stroke={1.6} />} onClick={() => account(true)}>
              Disclosures of a patient
            </Button>
            <Button variant="default" leftSection={<IconFileAnalytics size={16} stroke={1.6} />} onClick={() => report(true)}>
              Activity report
            </Button>
          </>
        }
      />
      <div className="cp-bar">
        <ChoiceFilter
          label="Event"
          choices={EVENT_TYPES.map((e) => ({ value: e, label: e }))}
          value={listOf(search.events)}
          onChange={(v) => set({ events: v.join(',') || undefined })}
        />
        <ChoiceFilter
          label="Person"
          single
          choices={(people.data ?? []).map((p) => ({ value: p.id, label: p.name }))}
          value={listOf(search.person)}
          onChange={([person]) => set({ person })}
        />
        <DateRangeFilter
          label="Dates"
          value={search.from && search.until ? { start: search.from, end: search.until } : null}
          onChange={(range) => set({ from: range?.start, until: range?.end })}
        />
      </div>
      <PagedList
        label="Activity"
        noun="events"
        failed="The activity could not be loaded"
        query={query}
        list={list}
        columns={columns}
        name={(e) => `${e.eventType}, ${subjectOf(e)}`}
        href={hrefOf}
        menu={(e) => (
          <Menu.Item
            leftSection={<IconFolderOpen size={16} stroke={1.6} />}
            disabled={e.isDeleted}
            onClick={() => {
              const to = hrefOf(e);
              if (to) go(to);
            }}
          >
            Open
          </Menu.Item>
        )}
        second={(e) => (
          <>
            <span className="cp-ell cp-grow">{e.userName || otherSide(e)}</span>
            <span className="cp-num">{formatDateTime(e.at)}</span>
          </>
        )}
        empty={
          <EmptyState
            icon={IconHistory}
            title="No activity"
            text={search.from ? 'Try other dates or events.' : 'Without dates, the last 14 days are shown.'}
          >
            <Button variant="default" onClick={clear}>
              Clear filters
            </Button>
          </EmptyState>
        }
      />
      {isTrailing && <AuditTrailDialog onClose={() => trail(false)} />}
      {isAccounting && <DisclosuresDialog onClose={() => account(false)} />}
      {isReporting && <ActivityReportDialog onClose={() => report(false)} />}
    </>
  );
}
