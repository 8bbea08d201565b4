import './intake.css';
import { ActionIcon, Button, Menu, Tooltip, UnstyledButton } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import {
  IconCheck,
  IconClock,
  IconCornerUpLeft,
  IconCornerUpRight,
  IconFileExport,
  IconFlag,
  IconFolderOpen,
  IconMailCheck,
  IconMailOpened,
  IconPrinter,
  IconRefresh,
  IconTag,
  IconTrash,
  IconUserPlus,
} from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useFeature, useProfile } from '@/app/session';
import type { IntakeCounts, IntakeItem, IntakePage as Page, IntakeRequest } from '@/api/types';
import { DeleteMessageDialog } from '@/domain/messaging/DeleteMessageDialog';
import { defaultStart, intakeCountsQuery, intakeKey, intakeQuery, quickViewsQuery, TO_DO } from '@/domain/messaging/intakeList';
import { BulkJobs } from '@/domain/messaging/jobs/BulkJobs';
import { IntakeUploads } from '@/domain/messaging/triage/BatchUpload';
import { now } from '@/shared/clock';
import { formatCount, plural } from '@/shared/format';
import { paths } from '@/shared/paths';
import { EVER } from '@/shared/rules/dates';
import { DataTable } from '@/shared/table/DataTable';
import { CountFilter, SearchInput } from '@/shared/table/filters';
import { ListFooter } from '@/shared/table/ListFooter';
import { rowsOfWindow } from '@/shared/table/listSearch';
import { ownSearch, useExistingPage, useListState } from '@/shared/table/useListState';
import { SelectionBar, useSelection } from '@/shared/table/useSelection';
import { useGo } from '@/shared/ui/AppLink';
import { EmptyState } from '@/shared/ui/blocks';
import { PageHead } from '@/shared/ui/PageHead';
import { usePreference } from '@/shared/usePreference';
import { useViewport } from '@/shared/useViewport';
import { idsOfList, SELECT_LIMIT } from './api';
import { IntakeFilters } from './IntakeFilters';
import { intakeColumns } from './IntakeTable';
import { ALL_STATUSES, DEFAULT_ORDER, filtersOf, hasFilters, type IntakeSearch, intakeRequest, keepOrder, type View } from './list';
import { PhoneIntake } from './PhoneIntake';
import { leaveTrail } from './trail';
import { useListActs } from './useListActs';

const cleared: Partial<IntakeSearch> = {
  from: undefined,
  until: undefined,
  status: undefined,
  source: undefined,
  to: undefined,
  processed: undefined,
};

/** New values appear in the rows in view; new rows wait until the user asks for them. */
function useSteadyList(
  fresh: Page | undefined,
  key: string,
  { isPlaceholder, isFetching }: { isPlaceholder: boolean; isFetching: boolean },
) {
  const [kept, setKept] = useState<{ key: string; page: Page } | null>(null);
  // What another view of before still holds is read anew first.
  if (fresh && !isPlaceholder && !isFetching && kept?.key !== key) setKept({ key, page: fresh });
  const showFresh = () => setKept(null);
  if (!fresh || isPlaceholder || kept?.key !== key) return { page: fresh, arrived: 0, showFresh };
  return { ...keepOrder(kept.page, fresh), showFresh };
}

/** The number of messages in the list. For frequent search words it is counted after the page has loaded. */
function useTotal(shown: Page | undefined, body: IntakeRequest, isPlaceholder: boolean): { total?: number; capped: boolean } {
  const isUncounted = shown !== undefined && shown.totalCount == null;
  const { data: counted } = useQuery({ ...intakeCountsQuery(filtersOf(body)), enabled: isUncounted && !isPlaceholder });
  const known = isUncounted ? counted : shown;
  return { total: known?.totalCount ?? undefined, capped: Boolean(known?.totalIsCapped) };
}

/** The longest delay that a timer takes, in ms. */
const TIMER_MAX = 2_147_483_647;

/** Reads the list anew when a snoozed message comes back. */
function useWake(at: string | null | undefined) {
  const client = useQueryClient();
  useEffect(() => {
    if (!at) return;
    const delay = Math.min(Math.max(new Date(at).getTime() - now().getTime() + 500, 0), TIMER_MAX);
    const timer = setTimeout(() => void client.invalidateQueries({ queryKey: intakeKey }), delay);
    return () => clearTimeout(timer);
  }, [at, client]);
}

export function IntakePage() {
  const { userId } = useProfile();
  const { isPhone } = useViewport();
  const optimized = useFeature('OptimizedIntake');
  const [keptSize, keepSize] = usePreference<number | null>('intakePageSize', null);
  const [fitting] = useState(() => rowsOfWindow(window.innerHeight));
  const list = useListState<IntakeSearch>({ size: keptSize ?? fitting, sort: DEFAULT_ORDER, privateSearch: true });
  const { search, words, page, size, order, set } = list;
  const body = intakeRequest({ search, words, page, size, order });
  const query = useQuery(intakeQuery(body, optimized));
  const {
    page: listed,
    arrived,
    showFresh,
  } = useSteadyList(query.data, JSON.stringify(body), {
    isPlaceholder: query.isPlaceholderData,
    isFetching: query.isFetching,
  });
  const { total, capped } = useTotal(listed, body, query.isPlaceholderData);
  const isGone = useExistingPage(list, { rows: listed?.items, total, isPlaceholder: query.isPlaceholderData });
  const shown = isGone ? undefined : listed;
  const { data: counted } = useQuery(quickViewsQuery(intakeRequest({ search, words: '', page, size, order })));
  useWake(counted?.nextWakeAt);
  const isDefault = !hasFilters(search, words) && search.view !== 'snoozed';
  const { data: older } = useQuery({ ...intakeCountsQuery({ ...TO_DO, startDate: EVER, endDate: defaultStart() }), enabled: isDefault });
  // Whether anything came at all, which the empty list does not say.
  const isEmpty = listed?.items.length === 0;
  const { data: ever } = useQuery({ ...intakeCountsQuery({ startDate: defaultStart() }), enabled: isEmpty && isDefault });
  const selection = useSelection(JSON.stringify(filtersOf(body)));
  const [firstWanted, wantFirst] = useState(0);
  const [toDelete, setToDelete] = useState<IntakeItem | null>(null);
  const go = useGo();
  const client = useQueryClient();

  const refresh = async () => {
    await client.invalidateQueries({ queryKey: intakeKey });
    showFresh();
  };

  const all = selection.isAll ? { request: filtersOf(body), words: `${formatCount(total ?? 0, capped)} messages` } : undefined;
  const selected = { ids: selection.list, all };
  const acts = useListActs(shown?.items, selected, () => {
    selection.clear();
    showFresh();
  });

  const open = (m: Pick<IntakeItem, 'id'>) => {
    noteTrail();
    go(paths.intakeMessage(m.id));
  };
  const noteTrail = () => {
    if (!shown) return;
    leaveTrail({
      request: body,
      optimized,
      stops: shown.items,
      offset: (page - 1) * size,
      total: total ?? (page - 1) * size + shown.items.length,
      capped: capped || total === undefined,
    });
  };
  const clear = () => {
    set(cleared, ownSearch(undefined));
  };

  const found = query.isPlaceholderData || capped ? undefined : total;
  const quickViews = (
    <QuickViews
      view={search.view ?? 'all'}
      counts={words ? { [search.view ?? 'all']: found } : countsOf(counted?.quickViews)}
      fullWidth={isPhone}
      onChange={(view) => set({ view: view === 'all' ? undefined : view })}
    />
  );
  const empty = hasFilters(search, words) ? (
    <EmptyState
      icon={IconMailCheck}
      title="No message matches these filters"
      text={
        search.from || search.until || words
          ? 'Try other words, another status or other dates.'
          : 'Messages older than 30 days are not shown unless you choose a range.'
      }
    >
      <Button variant="default" onClick={clear}>
        Clear filters
      </Button>
      {(search.from || search.until || !words) && (
        <Button variant="subtle" onClick={() => set({ from: EVER, until: undefined })}>
          Search all dates
        </Button>
      )}
    </EmptyState>
  ) : (
    <EmptyState icon={IconMailCheck} {...emptyWords(search.view, ever?.totalCount)}>
      {!search.view && Boolean(ever?.totalCount) && (
        <Button variant="default" onClick={() => set({ status: ALL_STATUSES })}>
          Show what is done
        </Button>
      )}
      {search.view !== 'snoozed' && (
        <Button variant={ever?.totalCount ? 'subtle' : 'default'} onClick={() => set({ from: EVER, status: ALL_STATUSES })}>
          Show all dates
        </Button>
      )}
    </EmptyState>
  );
  const footer = shown && shown.items.length > 0 && (
    <ListFooter
      page={page}
      size={size}
      count={shown.items.length}
      total={total}
      capped={capped}
      nextCursor={shown.nextCursor}
      onPage={list.setPage}
      onSize={(n) => {
        keepSize(n);
        set({ size: n });
      }}
      noun="messages"
    />
  );
  const newRows = arrived > 0 && (
    <button type="button" className="cp-arrived" onClick={showFresh}>
      {formatCount(arrived)} new
    </button>
  );
  const olderRows = isDefault && Boolean(older?.totalCount) && (
    <div className="int-older cp-second">
      {plural(older!.totalCount, 'older message')}
      {older!.totalIsCapped && '+'} still to do.{' '}
      <UnstyledButton className="cp-link" onClick={() => set({ from: EVER })}>
        Show all dates
      </UnstyledButton>
    </div>
  );
  const dialogs = (
    <>
      <DeleteMessageDialog
        message={toDelete}
        onClose={() => setToDelete(null)}
        onDeleted={() => {
          if (toDelete) selection.drop(toDelete.id);
          showFresh();
        }}
      />
      {acts.dialogs}
    </>
  );

  if (isPhone) {
    return (
      <PhoneIntake
        list={list}
        shown={shown}
        error={query.error}
        onRetry={() => void refresh()}
        quickViews={quickViews}
        empty={empty}
        footer={footer}
        newRows={newRows}
        older={olderRows}
        onClear={clear}
        userId={userId}
        onOpen={noteTrail}
      />
    );
  }
  const bar = (
    <SelectionBar selection={selection} total={total} isCapped={capped} limit={SELECT_LIMIT} all={() => idsOfList(body, optimized)}>
      <Button variant="subtle" leftSection={<IconUserPlus size={16} stroke={1.6} />} onClick={() => acts.assign(selected)}>
        Assign
      </Button>
      <Button
        variant="subtle"
        leftSection={<IconCheck size={16} stroke={1.6} />}
        loading={acts.isBusy('process')}
        onClick={() => acts.process(selected)}
      >
        File
      </Button>
      <Button variant="subtle" leftSection={<IconTag size={16} stroke={1.6} />} onClick={() => acts.type(selected)}>
        Type
      </Button>
      <Button variant="subtle" leftSection={<IconClock size={16} stroke={1.6} />} onClick={() => acts.snooze(selected)}>
        Snooze
      </Button>
      <Button
        variant="subtle"
        leftSection={<IconMailOpened size={16} stroke={1.6} />}
        loading={acts.isBusy('read')}
        onClick={() => acts.markRead(selected)}
      >
        Mark as read
      </Button>
      <Button variant="subtle" leftSection={<IconFileExport size={16} stroke={1.6} />} onClick={() => acts.exportFiles(selected)}>
        Export
      </Button>
      <Button variant="subtle" leftSection={<IconPrinter size={16} stroke={1.6} />} onClick={() => acts.print(selected)}>
        Print
      </Button>
      <Button variant="subtle" color="red" leftSection={<IconTrash size={16} stroke={1.6} />} onClick={() => acts.remove(selected)}>
        Delete
      </Button>
    </SelectionBar>
  );
  return (
    <>
      <PageHead
        title="Intake"
        beside={quickViews}
        actions={
          <>
            {newRows}
            <IntakeUploads />
            <Tooltip label="Refresh">
              <ActionIcon aria-label="Refresh" onClick={() => void refresh()}>
                <IconRefresh size={17} stroke={1.6} />
              </ActionIcon>
            </Tooltip>
          </>
        }
      />
      <IntakeFilters search={search} words={words} onChange={set} onClear={clear}>
        <SearchInput
          label="Filter messages"
          placeholder="Patient, birth date, MRN, subject, sender, document"
          value={words}
          onChange={list.setSearch}
          onEnter={() => wantFirst((n) => n + 1)}
        />
      </IntakeFilters>
      {olderRows}
      <BulkJobs />
      <DataTable
        label="Intake messages"
        columns={intakeColumns(userId, noteTrail)}
        rows={shown?.items}
        rowId={(m) => m.id}
        rowName={(m) => m.subject || 'No subject'}
        error={query.error}
        errorTitle="The messages could not be loaded"
        onRetry={() => void refresh()}
        empty={empty}
        order={order}
        onSort={list.toggleSort}
        onOpen={open}
        rowKeys={acts.keys}
        isUnread={(m) => !m.isRead}
        stale={query.isPlaceholderData}
        // Not before what is looked for is there.
        toFirst={query.isFetching ? 0 : firstWanted}
        selection={{ ...selection, bar }}
        rowMenu={(m) => (
          <>
            <Menu.Item leftSection={<IconFolderOpen size={16} stroke={1.6} />} onClick={() => open(m)}>
              Open
            </Menu.Item>
            <Menu.Item
              leftSection={<IconCornerUpLeft size={16} stroke={1.6} />}
              onClick={() => go(paths.releaseReply(m.id, paths.intake()))}
            >
              Reply
            </Menu.Item>
            <Menu.Item
              leftSection={<IconCornerUpRight size={16} stroke={1.6} />}
              onClick={() => go(paths.releaseForward(m.id, paths.intake()))}
            >
              Forward
            </Menu.Item>
            <Menu.Item leftSection={<IconUserPlus size={16} stroke={1.6} />} onClick={() => acts.assign({ ids: [m.id] })}>
              Assign
            </Menu.Item>
            <Menu.Item leftSection={<IconTag size={16} stroke={1.6} />} onClick={() => acts.type({ ids: [m.id] })}>
              Document type
            </Menu.Item>
            <Menu.Item leftSection={<IconFlag size={16} stroke={1.6} />} onClick={() => acts.turnUrgent({ ids: [m.id] })}>
              {m.isUrgent ? 'No longer urgent' : 'Mark as urgent'}
            </Menu.Item>
            {m.status !== 'Processed' && (
              <Menu.Item leftSection={<IconCheck size={16} stroke={1.6} />} onClick={() => acts.process({ ids: [m.id] })}>
                File
              </Menu.Item>
            )}
            {m.status !== 'Processed' && (
              <Menu.Item leftSection={<IconClock size={16} stroke={1.6} />} onClick={() => acts.snooze({ ids: [m.id] })}>
                Snooze
              </Menu.Item>
            )}
            <Menu.Item leftSection={<IconFileExport size={16} stroke={1.6} />} onClick={() => acts.exportFiles({ ids: [m.id] })}>
              Export
            </Menu.Item>
            <Menu.Item leftSection={<IconPrinter size={16} stroke={1.6} />} onClick={() => acts.print({ ids: [m.id] })}>
              Print
            </Menu.Item>
            <Menu.Divider />
            <Menu.Item data-danger leftSection={<IconTrash size={16} stroke={1.6} />} onClick={() => setToDelete(m)}>
              Delete
            </Menu.Item>
          </>
        )}
      />
      {footer}
      {dialogs}
    </>
  );
}

type ViewCounts = Partial<Record<View, number>>;
const countsOf = (c: IntakeCounts['quickViews']): ViewCounts => ({ ...c, mine: c?.assignedToSelf });

const VIEWS: { value: View; label: string }[] = [
  { value: 'all', label: 'All' },
  { value: 'unassigned', label: 'Unassigned' },
  { value: 'mine', label: 'Mine' },
  { value: 'urgent', label: 'Urgent' },
  { value: 'snoozed', label: 'Snoozed' },
];

type ViewsProps = { view: View; counts: ViewCounts; fullWidth: boolean; onChange: (view: View) => void };

/** The quick views with their counts. What words find is counted for the one in view alone. */
const QuickViews = ({ view, counts, fullWidth, onChange }: ViewsProps) => (
  <CountFilter
    label="Quick views"
    fullWidth={fullWidth}
    value={view}
    onChange={(v) => onChange(v as View)}
    views={VIEWS.map((v) => ({ ...v, count: counts[v.value] }))}
  />
);

/** What an empty view says. */
function emptyWords(view: View | undefined, ever: number | undefined) {
  if (view === 'snoozed') return { title: 'Nothing is snoozed', text: 'Snoozed messages stand here until they come back by themselves.' };
  if (view) return { title: 'Nothing here', text: 'Messages that wait for this appear here as soon as there are any.' };
  if (ever) return { title: 'All done', text: 'Everything that came in the last 30 days is processed.' };
  return { title: 'No messages yet', text: 'Messages received in the last 30 days appear here as soon as they arrive.' };
}
