import { Button } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { IconDownload, IconListSearch, IconShieldCheck } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { quiet } from '@/api/client';
import { itemsOf, queryOf } from '@/api/query';
import type { AuditRecord, AuditSearch } from '@/api/types';
import { kindWords } from '@/domain/messaging/activity';
import { now } from '@/shared/clock';
import { DateInput } from '@/shared/form/DateInput';
import { formatCount, formatDateTime } from '@/shared/format';
import { fetchReport } from '@/shared/reportFile';
import { endOfDay, REPORT_DATES_ERROR, startOfDay } from '@/shared/rules/dates';
import { saveFile } from '@/shared/saveFile';
import type { Column } from '@/shared/table/DataTable';
import { ChoiceFilter, SearchInput } from '@/shared/table/filters';
import { PagedList } from '@/shared/table/PagedList';
import { useListState } from '@/shared/table/useListState';
import { AppLink } from '@/shared/ui/AppLink';
import { useRun } from '@/shared/ui/AskDialog';
import { EmptyState, Notice } from '@/shared/ui/blocks';
import { PageHead } from '@/shared/ui/PageHead';
import { Status } from '@/shared/ui/status';
import { useViewport } from '@/shared/useViewport';
import classes from './audits.module.css';
import { csvName, rangeOf, screenOf } from './rules';
import { VerifyDialog } from './VerifyDialog';

const SIZES = [25, 50, 100] as const;
/** Page links of a group. */
const LINKS = 4;

const auditsQuery = (body: AuditSearch) => ({
  ...queryOf('post', '/api/admin/audits', { body, ...quiet }),
  placeholderData: keepPreviousData,
  meta: { page: true },
});
const typesQuery = itemsOf(queryOf('get', '/api/admin/audits/eventtypes', quiet));

async function saveCsv(body: AuditSearch, name: string) {
  const init = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
  const file = await fetchReport('/api/admin/audits/csv', init);
  if (file) saveFile(file, name);
}

/** The audit trail of all organizations. */
export function AuditsPage() {
  const { isPhone } = useViewport();
  // Search words may be a name, so they stay out of the URL.
  const list = useListState({ sizes: SIZES, size: 25, privateSearch: true });
  const [verifies, setVerifies] = useState(false);
  const range = rangeOf(list.filter('start'), list.filter('end'), now());
  const isReversed = range.start > range.end;
  const event = list.filter('event');
  const search: AuditSearch = {
    startDate: startOfDay(range.start),
    endDate: endOfDay(range.end),
    username: list.filter('username'),
    eventTypes: event ? [event] : undefined,
    search: list.words || undefined,
  };
  const types = useQuery(typesQuery);
  const labels = new Map(types.data?.map((t) => [t.eventType, t.label]));
  const query = useQuery({ ...auditsQuery({ ...search, pageNumber: list.page, pageSize: list.size }), enabled: !isReversed });
  const download = useRun({ run: () => saveCsv(search, csvName(range)), failed: 'The entries could not be downloaded. Please try again.' });

  const columns: Column<AuditRecord>[] = [
    { key: 'timestamp', title: 'Time', width: 190, numeric: true, text: (e) => formatDateTime(e.timestamp) },
    { key: 'createdBy', title: 'User', width: 220, primary: true, text: (e) => e.createdBy },
    { key: 'eventType', title: 'Event', width: 190, text: (e) => labels.get(e.eventType) ?? e.eventType },
    { key: 'objectType', title: 'Object type', width: 130, drop: 2, text: (e) => kindWords(e.objectType) },
    { key: 'object', title: 'Object', width: 220, drop: 2, text: (e) => e.objectName || e.objectId, render: objectOf },
    { key: 'organization', title: 'Organization', width: 200, drop: 1, text: (e) => e.organizationName ?? '' },
    { key: 'eventData', title: 'Data', drop: 3, text: (e) => e.eventData },
  ];
  return (
    <>
      <PageHead
        title="Audits"
        beside={
          query.data && !isPhone && <span className="cp-muted cp-num">{formatCount(query.data.totalCount, query.data.totalIsCapped)}</span>
        }
        actions={
          <>
            <Button variant="default" leftSection={<IconShieldCheck size={16} stroke={1.6} />} onClick={() => setVerifies(true)}>
              Verify
            </Button>
            <Button
              variant="default"
              leftSection={<IconDownload size={16} stroke={1.6} />}
              loading={download.isPending}
              disabled={isReversed}
              onClick={() => download.mutate()}
            >
              CSV
            </Button>
          </>
        }
      />
      <div className={`cp-bar ${classes.bar}`}>
        <DateInput label="Start Date" value={range.start} onChange={(start) => list.setFilter('start', start || undefined)} allowFuture />
        <DateInput label="End Date" value={range.end} onChange={(end) => list.setFilter('end', end || undefined)} allowFuture />
        <SearchInput
          label="User name"
          placeholder="User name"
          value={list.filter('username') ?? ''}
          onChange={(name) => list.setFilter('username', name.trim() || undefined)}
        />
        <ChoiceFilter
          single
          label="Event"
          choices={(types.data ?? []).map((t) => ({ value: t.eventType, label: t.label }))}
          value={[event ?? []].flat()}
          onChange={([value]) => list.setFilter('event', value)}
        />
        <SearchInput label="Filter the entries" placeholder="Filter by words" value={list.words} onChange={list.setSearch} />
      </div>
      {isReversed ? (
        <Notice kind="error">{REPORT_DATES_ERROR}</Notice>
      ) : (
        <PagedList
          label="Audit entries"
          noun="entries"
          query={query.error ? { ...query, data: undefined } : query}
          list={list}
          links={LINKS}
          columns={columns}
          name={(e) => `${labels.get(e.eventType) ?? e.eventType} by ${e.createdBy}`}
          empty={<EmptyState icon={IconListSearch} title="No entries match" text="Try other dates or fewer filters." />}
          second={(e) => (
            <>
              <span className="cp-ell cp-grow">{e.organizationName ?? 'Platform'}</span>
              <span className="cp-num">{formatDateTime(e.timestamp)}</span>
            </>
          )}
          detail={(e) => <Entry entry={e} />}
        />
      )}
      {verifies && <VerifyDialog onClose={() => setVerifies(false)} />}
    </>
  );
}

/** The object of an entry: its name, else its id. */
function objectOf(e: AuditRecord) {
  const to = screenOf(e);
  if (to)
    return (
      <AppLink className="cp-link" href={to}>
        {e.objectName}
      </AppLink>
    );
  return e.objectName || (e.objectId ? <span className="cp-mono">{e.objectId}</span> : <span className="cp-muted">–</span>);
}

function Entry({ entry: e }: { entry: AuditRecord }) {
  const facts: [string, ReactNode][] = [
    ['Name', e.fullName],
    ['Organization', e.organizationName ?? 'Platform'],
    ['Object', objectOf(e)],
    ['Object ID', `${kindWords(e.objectType)} ${e.objectId}`],
    ['Address', e.sourceIp],
  ];
  return (
    <div className={classes.entry}>
      <Status state={e.succeeded ? 'Verified' : 'Failed'}>{e.succeeded ? 'Succeeded' : 'Failed'}</Status>
      <dl>
        {facts
          .filter(([, value]) => value)
          .map(([label, value]) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>{value}</dd>
            </div>
          ))}
      </dl>
      {e.eventData && <pre className={classes.data}>{pretty(e.eventData)}</pre>}
    </div>
  );
}

function pretty(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json;
  }
}
