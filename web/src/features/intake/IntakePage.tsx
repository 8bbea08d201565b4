import './intake.css';
import { ActionIcon, Button, Tooltip, UnstyledButton } from '@mantine/core';
import { IconMailCheck, IconRefresh } from '@tabler/icons-react';
import { useState } from 'react';
import { useProfile } from '@/app/session';
import type { IntakeCounts, IntakeItem } from '@/api/types';
import { DeleteMessageDialog } from '@/domain/messaging/DeleteMessageDialog';
import { BulkJobs } from '@/domain/messaging/jobs/BulkJobs';
import { IntakeUploads } from '@/domain/messaging/triage/BatchUpload';
import { formatCount, plural } from '@/shared/format';
import { paths } from '@/shared/paths';
import { EVER } from '@/shared/rules/dates';
import { DataTable } from '@/shared/table/DataTable';
import { CountFilter, SearchInput } from '@/shared/table/filters';
import { ListFooter } from '@/shared/table/ListFooter';
import { useGo } from '@/shared/ui/AppLink';
import { EmptyState } from '@/shared/ui/blocks';
import { PageHead } from '@/shared/ui/PageHead';
import { useViewport } from '@/shared/useViewport';
import { FiledByRuleLine } from './filedByRule/FiledByRuleLine';
import { IntakeFilters } from './IntakeFilters';
import { IntakeRowMenu } from './IntakeRowMenu';
import { intakeColumns } from './IntakeTable';
import { ALL_STATUSES, filtersOf, type View } from './list';
import { PhoneIntake } from './PhoneIntake';
import { SelectedMessages } from './SelectedMessages';
import { type IntakeList, useIntakeList } from './useIntakeList';
import { useListActs } from './useListActs';

export function IntakePage() {
  const { userId } = useProfile();
  const { isPhone } = useViewport();
  const go = useGo();
  const intake = useIntakeList();
  const { list, query, shown, selection, total, capped, noteTrail, showFresh } = intake;
  const [firstWanted, wantFirst] = useState(0);
  const [toDelete, setToDelete] = useState<IntakeItem | null>(null);

  const all = selection.isAll ? { request: filtersOf(intake.body), words: `${formatCount(total ?? 0, capped)} messages` } : undefined;
  const selected = { ids: selection.list, all };
  const acts = useListActs(shown?.items, selected, () => {
    selection.clear();
    showFresh();
  });
  const open = (m: Pick<IntakeItem, 'id'>) => {
    noteTrail();
    go(paths.intakeMessage(m.id));
  };
  const refresh = () => void intake.refresh();

  const quickViews = <QuickViews intake={intake} />;
  const newRows = intake.arrived > 0 && <NewRows intake={intake} />;
  const older = (
    <>
      <FiledByRuleLine />
      <OlderMessages intake={intake} />
    </>
  );
  const empty = <Empty intake={intake} />;
  const footer = <Footer intake={intake} />;
  if (isPhone) {
    return (
      <PhoneIntake
        list={list}
        shown={shown}
        error={query.error}
        onRetry={refresh}
        quickViews={quickViews}
        empty={empty}
        footer={footer}
        newRows={newRows}
        older={older}
        onClear={intake.clear}
        userId={userId}
        onOpen={noteTrail}
      />
    );
  }
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
              <ActionIcon aria-label="Refresh" onClick={refresh}>
                <IconRefresh size={17} stroke={1.6} />
              </ActionIcon>
            </Tooltip>
          </>
        }
      />
      <IntakeFilters search={list.search} words={list.words} onChange={list.set} onClear={intake.clear}>
        <SearchInput
          label="Filter messages"
          placeholder="Patient, birth date, MRN, subject, sender, document"
          value={list.words}
          onChange={list.setSearch}
          onEnter={() => wantFirst((n) => n + 1)}
        />
      </IntakeFilters>
      {older}
      <BulkJobs />
      <DataTable
        label="Intake messages"
        columns={intakeColumns(userId, noteTrail)}
        rows={shown?.items}
        rowId={(m) => m.id}
        rowName={(m) => m.subject || 'No subject'}
        error={query.error}
        errorTitle="The messages could not be loaded"
        onRetry={refresh}
        empty={empty}
        order={list.order}
        onSort={list.toggleSort}
        onOpen={open}
        rowKeys={acts.keys}
        isUnread={(m) => !m.isRead}
        stale={query.isPlaceholderData}
        // Not before the results of the search are there.
        toFirst={query.isFetching ? 0 : firstWanted}
        selection={{ ...selection, bar: <SelectedMessages intake={intake} acts={acts} selected={selected} /> }}
        rowMenu={(m) => <IntakeRowMenu message={m} acts={acts} onOpen={() => open(m)} onDelete={() => setToDelete(m)} />}
      />
      {footer}
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
}

type ListProps = { intake: IntakeList };

const NewRows = ({ intake: { arrived, showFresh } }: ListProps) => (
  <button type="button" className="cp-arrived" onClick={showFresh}>
    {formatCount(arrived)} new
  </button>
);

/** The number of older messages still to do. */
const OlderMessages = ({ intake: { older, list } }: ListProps) =>
  Boolean(older?.totalCount) && (
    <div className="int-older cp-second">
      {plural(older!.totalCount, 'older message')}
      {older!.totalIsCapped && '+'} still to do.{' '}
      <UnstyledButton className="cp-link" onClick={() => list.set({ from: EVER })}>
        Show all dates
      </UnstyledButton>
    </div>
  );

const Footer = ({ intake: { list, shown, total, capped, keepSize } }: ListProps) =>
  shown &&
  shown.items.length > 0 && (
    <ListFooter
      page={list.page}
      size={list.size}
      count={shown.items.length}
      total={total}
      capped={capped}
      nextCursor={shown.nextCursor}
      onPage={list.setPage}
      onSize={keepSize}
      noun="messages"
    />
  );

type ViewCounts = Partial<Record<View, number>>;
const countsOf = (c: IntakeCounts['quickViews']): ViewCounts => ({ ...c, mine: c?.assignedToSelf });

const VIEWS: { value: View; label: string }[] = [
  { value: 'all', label: 'All' },
  { value: 'unassigned', label: 'Unassigned' },
  { value: 'mine', label: 'Mine' },
  { value: 'urgent', label: 'Urgent' },
  { value: 'snoozed', label: 'Snoozed' },
];

/** The quick views with their counts. Search results are counted only for the current one. */
function QuickViews({ intake: { list, query, total, capped, views } }: ListProps) {
  const { isPhone } = useViewport();
  const view = list.search.view ?? 'all';
  const found = query.isPlaceholderData || capped ? undefined : total;
  const counts = list.words ? { [view]: found } : countsOf(views);
  return (
    <CountFilter
      label="Quick views"
      fullWidth={isPhone}
      value={view}
      onChange={(v) => list.set({ view: v === 'all' ? undefined : (v as View) })}
      views={VIEWS.map((v) => ({ ...v, count: counts[v.value] }))}
    />
  );
}

function Empty({ intake: { list, isFiltered, ever, clear } }: ListProps) {
  const { search, words, set } = list;
  if (isFiltered)
    return (
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
    );
  return (
    <EmptyState icon={IconMailCheck} {...emptyWords(search.view, ever)}>
      {!search.view && Boolean(ever) && (
        <Button variant="default" onClick={() => set({ status: ALL_STATUSES })}>
          Show processed messages
        </Button>
      )}
      {search.view !== 'snoozed' && (
        <Button variant={ever ? 'subtle' : 'default'} onClick={() => set({ from: EVER, status: ALL_STATUSES })}>
          Show all dates
        </Button>
      )}
    </EmptyState>
  );
}

/** The text of an empty view. */
function emptyWords(view: View | undefined, ever: number | undefined) {
  if (view === 'snoozed') return { title: 'Nothing is snoozed', text: 'Snoozed messages appear here until they come back.' };
  if (view) return { title: 'Nothing here', text: 'Messages of this view appear here.' };
  if (ever) return { title: 'All done', text: 'All messages of the last 30 days are processed.' };
  return { title: 'No messages yet', text: 'Messages received in the last 30 days appear here as soon as they arrive.' };
}
