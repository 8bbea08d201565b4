import { Select, TextInput } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { IconApi } from '@tabler/icons-react';
import { queryOf } from '@/api/query';
import type { CapturedCall } from '@/api/types';
import { now } from '@/shared/clock';
import { formatCount, formatDateTime } from '@/shared/format';
import { REPORT_DATES_ERROR } from '@/shared/rules/dates';
import type { Column } from '@/shared/table/DataTable';
import { SearchInput } from '@/shared/table/filters';
import { PAGE_SIZES_OF_20 } from '@/shared/table/listSearch';
import { PagedList } from '@/shared/table/PagedList';
import { useListState } from '@/shared/table/useListState';
import { EmptyState, Notice } from '@/shared/ui/blocks';
import { PageHead } from '@/shared/ui/PageHead';
import { Status } from '@/shared/ui/status';
import { useViewport } from '@/shared/useViewport';
import classes from './apicapture.module.css';
import { CallDetails } from './CallDetails';
import { FILTERS, isId, isReversed, METHODS, searchOf, spanOf } from './rules';

const LABELS = {
  tenantId: 'Tenant ID',
  networkId: 'Network ID',
  userId: 'User ID or name',
  url: 'URL',
  statusCode: 'Status code',
} as const;
const NEWEST = { by: 'date', dir: 'desc' } as const;

const columns: Column<CapturedCall>[] = [
  { key: 'date', title: 'Time', width: 190, numeric: true, sortable: true, text: (c) => formatDateTime(c.date) },
  { key: 'method', title: 'Method', width: 90, text: (c) => c.value.request.method },
  { key: 'url', title: 'URL', primary: true, text: (c) => c.value.request.url },
  { key: 'status', title: 'Status', width: 110, render: (c) => <StatusCode code={c.value.response.status} /> },
  { key: 'milliseconds', title: 'Time taken', width: 110, drop: 2, numeric: true, text: (c) => `${c.milliseconds} ms` },
  { key: 'user', title: 'User', width: 210, drop: 1, text: (c) => c.userName },
  { key: 'tenant', title: 'Tenant', width: 200, drop: 3, text: (c) => c.value.tenant_name ?? c.value.tenantid },
];

const StatusCode = ({ code }: { code: number }) => (
  <Status state={code < 400 ? 'Verified' : code < 500 ? 'Pending' : 'Failed'}>{String(code)}</Status>
);

/** The captured calls of the organizations whose capture is switched on. */
export function ApiCapturePage() {
  const { isPhone } = useViewport();
  const list = useListState({ sizes: PAGE_SIZES_OF_20, size: 20, sort: NEWEST });
  const span = spanOf(list.filter('start'), list.filter('end'), now());
  const filters = Object.fromEntries(FILTERS.map((name) => [name, list.filter(name)]));
  const wrongId = (['tenantId', 'networkId'] as const).find((name) => !isId(filters[name]));
  const isWrong = isReversed(span);
  const query = useQuery({
    ...queryOf('get', '/api/diagnostics/apicapture', {
      params: {
        query: {
          start: new Date(span.start).toISOString(),
          end: new Date(span.end).toISOString(),
          search: searchOf(filters),
          sortDir: list.order.dir,
          pageNumber: list.page,
          pageSize: list.size,
        },
      },
    }),
    placeholderData: keepPreviousData,
    enabled: !isWrong && !wrongId,
  });
  const moment = (name: 'start' | 'end', label: string) => (
    <TextInput
      type="datetime-local"
      step={1}
      label={label}
      value={span[name]}
      error={isWrong}
      onChange={(e) => {
        const text = e.currentTarget.value;
        list.setFilter(name, text.length === 16 ? `${text}:00` : text || undefined);
      }}
    />
  );
  return (
    <>
      <PageHead
        title="API capture"
        beside={
          query.data && !isPhone && <span className="cp-muted cp-num">{formatCount(query.data.totalCount, query.data.totalIsCapped)}</span>
        }
      />
      <div className={`cp-bar ${classes.bar}`}>
        {moment('start', 'Start')}
        {moment('end', 'End')}
        {(Object.keys(LABELS) as (keyof typeof LABELS)[]).map((name) => (
          <SearchInput
            key={name}
            label={LABELS[name]}
            placeholder={LABELS[name]}
            width={name === 'statusCode' ? 130 : 190}
            value={filters[name] ?? ''}
            onChange={(text) => list.setFilter(name, text.trim() || undefined)}
          />
        ))}
        <Select
          aria-label="Method"
          placeholder="Method"
          clearable
          w={120}
          data={[...METHODS]}
          value={filters.method ?? null}
          onChange={(method) => list.setFilter('method', method ?? undefined)}
        />
      </div>
      {isWrong && <Notice kind="error">{REPORT_DATES_ERROR}</Notice>}
      {!isWrong && wrongId && <Notice kind="info">{LABELS[wrongId]}: please enter the complete ID.</Notice>}
      {!isWrong && !wrongId && (
        <PagedList
          label="Captured calls"
          noun="calls"
          query={query.error ? { ...query, data: undefined } : query}
          list={list}
          columns={columns}
          order={list.order}
          onSort={list.toggleSort}
          name={(c) => `${c.value.request.method} ${c.value.request.url}`}
          empty={
            <EmptyState
              icon={IconApi}
              title="No captured calls"
              text="Calls are captured for organizations whose API capture is switched on in the list of organizations."
            />
          }
          badge={(c) => <StatusCode code={c.value.response.status} />}
          second={(c) => (
            <>
              <span className="cp-ell cp-grow">{c.userName}</span>
              <span className="cp-num">{formatDateTime(c.date)}</span>
            </>
          )}
          detail={(c) => <CallDetails call={c} />}
        />
      )}
    </>
  );
}
