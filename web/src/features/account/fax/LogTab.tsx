import { Button, Select } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { IconDeviceLandlinePhone, IconDownload, IconPhoneIncoming, IconPhoneOutgoing } from '@tabler/icons-react';
import type { FaxLogEntry } from '@/api/types';
import { formatCount, formatDateTime, plural } from '@/shared/format';
import { paths } from '@/shared/paths';
import type { Column } from '@/shared/table/DataTable';
import { CountFilter, DateRangeFilter, SearchInput } from '@/shared/table/filters';
import { PagedList } from '@/shared/table/PagedList';
import { useListState } from '@/shared/table/useListState';
import { EmptyState } from '@/shared/ui/blocks';
import { useViewport } from '@/shared/useViewport';
import { logQuery, saveLog } from './api';
import { DIRECTIONS, type Direction, type LogSearch, OUTCOME_CHOICES, OUTCOMES } from './search';

const ALL = 'All';
const dash = <span className="cp-muted">–</span>;
const outcome = (e: FaxLogEntry) => (e.outcome ? OUTCOMES[e.outcome] : 'In progress');
const pages = (e: FaxLogEntry) =>
  e.pages == null ? dash : e.ofPages == null || e.ofPages === e.pages ? e.pages : `${e.pages} of ${e.ofPages}`;
const pageWords = (e: FaxLogEntry) =>
  e.pages == null
    ? ''
    : e.ofPages == null || e.ofPages === e.pages
      ? plural(e.pages, 'page')
      : `${e.pages} of ${plural(e.ofPages, 'page')}`;
const other = (e: FaxLogEntry) => e.otherNumber || e.otherId || 'Unknown number';

function DirectionCell({ entry }: { entry: FaxLogEntry }) {
  const IconOf = entry.direction === 'Sent' ? IconPhoneOutgoing : IconPhoneIncoming;
  return (
    <span className="cp-row">
      <IconOf size={16} stroke={1.6} aria-hidden />
      {entry.direction}
    </span>
  );
}

const columns: Column<FaxLogEntry>[] = [
  { key: 'at', title: 'Time', width: 204, numeric: true, render: (e) => formatDateTime(e.at) },
  { key: 'direction', title: 'Direction', width: 112, render: (e) => <DirectionCell entry={e} /> },
  { key: 'own', title: 'Own number', width: 136, numeric: true, drop: 2, render: (e) => e.ownNumber || dash },
  { key: 'other', title: 'Other party', width: 148, numeric: true, primary: true, text: other },
  { key: 'pages', title: 'Pages', width: 84, numeric: true, render: pages },
  { key: 'line', title: 'Line', width: 108, drop: 1, render: (e) => e.line || e.provider || dash },
  { key: 'rate', title: 'Bit/s', width: 84, numeric: true, drop: 1, render: (e) => (e.rate == null ? dash : formatCount(e.rate)) },
  { key: 'seconds', title: 'Seconds', width: 84, numeric: true, drop: 2, render: (e) => e.seconds ?? dash },
  { key: 'outcome', title: 'Outcome', text: (e) => e.words, render: (e) => <span title={e.words}>{outcome(e)}</span> },
];

/** Outgoing calls and received faxes, newest first. */
export function LogTab() {
  const { isPhone } = useViewport();
  const list = useListState<LogSearch>({ size: 25 });
  const { search, words, page, size, set } = list;
  const query = useQuery(logQuery(search, page, size));
  const save = useMutation({ mutationFn: () => saveLog(search) });
  const width = isPhone ? '100%' : undefined;
  // Only for kept messages; a call of a deleted one has no link.
  const href = (e: FaxLogEntry) =>
    e.messageId ? (e.direction === 'Sent' ? paths.releaseMessage(e.messageId) : paths.intakeMessage(e.messageId)) : undefined;
  const filters = { search: undefined, direction: undefined, outcome: undefined, from: undefined, until: undefined };
  const isFiltered = Boolean(words || search.direction || search.outcome || search.from || search.until);
  const empty = isFiltered ? (
    <EmptyState icon={IconDeviceLandlinePhone} title="No call matches" text="No sent or received fax fits this filter.">
      <Button variant="default" onClick={() => set(filters)}>
        Show all
      </Button>
    </EmptyState>
  ) : (
    <EmptyState icon={IconDeviceLandlinePhone} title="No faxes yet" text="Sent and received faxes appear here." />
  );
  return (
    <>
      <div className="cp-bar">
        <SearchInput label="Search numbers" placeholder="Search by number" width={width ?? 200} value={words} onChange={list.setSearch} />
        <CountFilter
          label="Direction"
          fullWidth={isPhone}
          views={[ALL, ...DIRECTIONS].map((d) => ({ value: d, label: d }))}
          value={search.direction ?? ALL}
          onChange={(v) => set({ direction: v === ALL ? undefined : (v as Direction) })}
        />
        <Select
          aria-label="Outcome"
          w={width ?? 190}
          placeholder="All outcomes"
          clearable
          data={OUTCOME_CHOICES}
          value={search.outcome ?? null}
          onChange={(v) => set({ outcome: v ?? undefined })}
        />
        <DateRangeFilter
          label="Dates"
          value={search.from && search.until ? { start: search.from, end: search.until } : null}
          onChange={(range) => set({ from: range?.start, until: range?.end })}
        />
        <div className="cp-grow" />
        <Button
          variant="default"
          leftSection={<IconDownload size={16} stroke={1.6} />}
          loading={save.isPending}
          onClick={() => save.mutate()}
        >
          Save as CSV
        </Button>
      </div>
      <PagedList
        label="Fax log"
        noun="calls"
        query={query}
        list={list}
        columns={columns}
        name={(e) => `${e.direction}, ${other(e)}, ${formatDateTime(e.at)}`}
        empty={empty}
        href={href}
        second={(e) => (
          <>
            <span className="cp-ell cp-grow">{outcome(e)}</span>
            <span>{pageWords(e)}</span>
          </>
        )}
      />
    </>
  );
}
