import './intake.css';
import { ActionIcon, Button, Drawer, Menu, Tooltip } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import {
  IconAdjustmentsHorizontal,
  IconCheck,
  IconCornerUpLeft,
  IconCornerUpRight,
  IconFolderOpen,
  IconMailCheck,
  IconMailOpened,
  IconRefresh,
  IconSearch,
  IconTrash,
  IconUserPlus,
  IconX,
} from '@tabler/icons-react';
import { useState } from 'react';
import { useFeature, useProfile } from '@/app/session';
import type { BulkAct, IntakeItem, IntakePage as Page, IntakeRequest, Refused } from '@/api/types';
import { DeleteMessageDialog } from '@/domain/messaging/DeleteMessageDialog';
import { formatCount, plural } from '@/shared/format';
import { notify } from '@/shared/notify';
import { paths } from '@/shared/paths';
import { DataTable } from '@/shared/table/DataTable';
import { CountFilter, SearchInput } from '@/shared/table/filters';
import { ListFooter } from '@/shared/table/ListFooter';
import { useExistingPage, useListState } from '@/shared/table/useListState';
import { useGo } from '@/shared/ui/AppLink';
import { useAsk } from '@/shared/ui/AskDialog';
import { EmptyState, ErrorState } from '@/shared/ui/blocks';
import { PageHead } from '@/shared/ui/PageHead';
import { useEscape } from '@/shared/ui/useEscape';
import { usePreference } from '@/shared/usePreference';
import { useViewport } from '@/shared/useViewport';
import { AssignDialog } from './AssignDialog';
import { intakeCountsQuery, intakeKey, intakeQuery, quickViewsQuery } from '@/domain/messaging/intakeList';
import { type BulkResult, idsOfList, SELECT_LIMIT, useBulk } from './api';
import { IntakeCards } from './IntakeCards';
import { IntakeFilters } from './IntakeFilters';
import { intakeColumns } from './IntakeTable';
import { RefusedDialog } from './RefusedDialog';
import { DEFAULT_ORDER, filtersOf, hasFilters, type IntakeSearch, intakeRequest, keepOrder, type View } from './list';
import { leaveTrail } from './trail';

const none: ReadonlySet<string> = new Set();
const cleared: Partial<IntakeSearch> = {
  from: undefined,
  until: undefined,
  status: undefined,
  source: undefined,
  to: undefined,
  processed: undefined,
};

/** New values appear in the rows in view; new rows wait until the user asks for them. */
function useSteadyList(fresh: Page | undefined, key: string, isPlaceholder: boolean) {
  const [kept, setKept] = useState<{ key: string; page: Page } | null>(null);
  if (fresh && !isPlaceholder && kept?.key !== key) setKept({ key, page: fresh });
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

export function IntakePage() {
  const { userId } = useProfile();
  const { isPhone } = useViewport();
  const optimized = useFeature('OptimizedIntake');
  const [keptSize, keepSize] = usePreference('intakePageSize', 10);
  const list = useListState<IntakeSearch>({ size: keptSize, sort: DEFAULT_ORDER, privateSearch: true });
  const { search, words, page, size, order, set } = list;
  const body = intakeRequest({ search, words, page, size, order });
  const query = useQuery(intakeQuery(body, optimized));
  const { page: listed, arrived, showFresh } = useSteadyList(query.data, JSON.stringify(body), query.isPlaceholderData);
  const { total, capped } = useTotal(listed, body, query.isPlaceholderData);
  const isGone = useExistingPage(list, { rows: listed?.items, total, isPlaceholder: query.isPlaceholderData });
  const shown = isGone ? undefined : listed;
  const { data: counts } = useQuery(quickViewsQuery(body));
  // Other filters show other messages, so the selection is cleared.
  const filters = JSON.stringify(filtersOf(body));
  const [chosen, choose] = useState({ filters, ids: none });
  const selected = chosen.filters === filters ? chosen.ids : none;
  const setSelected = (ids: ReadonlySet<string>) => choose({ filters, ids });
  const selectAll = useMutation({
    mutationFn: () => idsOfList(body, optimized),
    onSuccess: (ids) => setSelected(new Set(ids)),
  });
  const [assigning, assign] = useDisclosure();
  const [toDelete, setToDelete] = useState<IntakeItem | null>(null);
  const [ask, question] = useAsk();
  const go = useGo();
  const client = useQueryClient();

  const refresh = async () => {
    await client.invalidateQueries({ queryKey: intakeKey });
    showFresh();
  };

  const act = useBulk();
  const [refusal, setRefusal] = useState<{ refused: Refused[]; verb: string } | null>(null);
  const finish = () => {
    setSelected(none);
    showFresh();
  };
  /** Says what was done, and shows what was refused and why. */
  const tell = (verb: string, { done, refused }: BulkResult, undo?: () => void) => {
    if (done.length > 0) {
      const words = `${plural(done.length, 'message')} ${verb}.`;
      notify('success', words, undo && { action: { label: 'Undo', run: undo } });
    }
    setRefusal(refused.length > 0 ? { refused, verb } : null);
    finish();
  };
  const reopen = (ids: string[]) => act.mutate({ act: 'reopen', ids }, { onSuccess: (r) => tell('reopened', r) });
  const process = (ids: string[], acceptsGaps = false) =>
    act.mutate({ act: 'process', ids, acceptsGaps }, { onSuccess: (r) => tell('processed', r, () => reopen(r.done)) });
  const markRead = (ids: string[]) => act.mutate({ act: 'read', ids }, { onSuccess: (r) => tell('marked as read', r) });
  const removeAll = (ids: string[]) =>
    ask({
      title: `Delete ${plural(ids.length, 'message')}?`,
      subject: plural(ids.length, 'message'),
      question: 'They leave the Intake for everybody in your organization. Are you sure?',
      label: 'Delete',
      danger: true,
      run: async () => tell('deleted', await act.mutateAsync({ act: 'delete', ids })),
      failed: 'The messages could not be deleted. Please try again.',
    });
  const isBusy = (what: BulkAct) => act.isPending && act.variables.act === what;
  const [assignIds, setAssignIds] = useState<string[]>([]);
  const startAssign = (ids: string[]) => {
    setAssignIds(ids);
    assign.open();
  };

  const open = (m: Pick<IntakeItem, 'id'>) => {
    noteTrail();
    go(paths.intakeMessage(m.id));
  };
  const noteTrail = () =>
    shown &&
    leaveTrail({
      ids: shown.items.map((x) => x.id),
      offset: (page - 1) * size,
      total: total ?? (page - 1) * size + shown.items.length,
      capped: capped || total === undefined,
    });
  const clear = () => {
    set(cleared, { search: undefined });
  };

  const quickViews = (
    <CountFilter
      label="Quick views"
      fullWidth={isPhone}
      value={search.view ?? 'all'}
      onChange={(v) => set({ view: v === 'all' ? undefined : (v as View) })}
      views={[
        { value: 'all', label: 'All', count: counts?.all },
        { value: 'unassigned', label: 'Unassigned', count: counts?.unassigned },
        { value: 'mine', label: isPhone ? 'Mine' : 'Assigned to me', count: counts?.assignedToSelf },
        { value: 'urgent', label: 'Urgent', count: counts?.urgent },
      ]}
    />
  );
  const empty = hasFilters(search, words) ? (
    <EmptyState
      icon={IconMailCheck}
      title="No message matches these filters"
      text={
        search.from || search.until
          ? 'Try other words, another status or other dates.'
          : 'Messages older than 30 days are not shown unless you choose a range.'
      }
    >
      <Button variant="default" onClick={clear}>
        Clear filters
      </Button>
      <Button variant="subtle" onClick={() => set({ from: '2000-01-01' })}>
        Search all dates
      </Button>
    </EmptyState>
  ) : (
    <EmptyState
      icon={IconMailCheck}
      title={search.view ? 'Nothing here' : 'No messages yet'}
      text="Messages received in the last 30 days appear here as soon as they arrive."
    >
      <Button variant="default" onClick={() => set({ from: '2000-01-01' })}>
        Show all dates
      </Button>
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
      {arrived.toLocaleString('en-US')} new
    </button>
  );
  const dialogs = (
    <>
      <AssignDialog
        key={assignIds.join()}
        count={assignIds.length}
        opened={assigning}
        busy={isBusy('assign')}
        onClose={assign.close}
        onAssign={(userId) =>
          act.mutate(
            { act: 'assign', ids: assignIds, userId },
            {
              onSuccess: (r) => {
                assign.close();
                tell(userId ? 'assigned' : 'unassigned', r);
              },
            },
          )
        }
      />
      <DeleteMessageDialog message={toDelete} onClose={() => setToDelete(null)} onDeleted={finish} />
      {refusal && (
        <RefusedDialog
          {...refusal}
          subjectOf={(id) => shown?.items.find((m) => m.id === id)?.subject}
          busy={isBusy('process')}
          onClose={() => setRefusal(null)}
          onConfirm={(ids) => process(ids, true)}
        />
      )}
      {question}
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
        onClear={clear}
        userId={userId}
        onOpen={noteTrail}
      />
    );
  }
  const ids = [...selected];
  const bar = (
    <>
      <b className="cp-strong cp-num cp-picked">{formatCount(selected.size)} selected</b>
      <Button variant="subtle" leftSection={<IconUserPlus size={16} stroke={1.6} />} onClick={() => startAssign(ids)}>
        Assign
      </Button>
      <Button variant="subtle" leftSection={<IconCheck size={16} stroke={1.6} />} loading={isBusy('process')} onClick={() => process(ids)}>
        Mark processed
      </Button>
      <Button
        variant="subtle"
        leftSection={<IconMailOpened size={16} stroke={1.6} />}
        loading={isBusy('read')}
        onClick={() => markRead(ids)}
      >
        Mark as read
      </Button>
      <Button variant="subtle" color="red" leftSection={<IconTrash size={16} stroke={1.6} />} onClick={() => removeAll(ids)}>
        Delete
      </Button>
      <div className="cp-grow" />
      {total !== undefined && selected.size < Math.min(total, SELECT_LIMIT) && (
        <Button variant="subtle" loading={selectAll.isPending} onClick={() => selectAll.mutate()}>
          {total > SELECT_LIMIT ? `Select the first ${formatCount(SELECT_LIMIT)}` : `Select all ${formatCount(total)}`}
        </Button>
      )}
      <ActionIcon size={28} aria-label="Clear selection" onClick={() => setSelected(none)}>
        <IconX size={16} stroke={1.6} />
      </ActionIcon>
    </>
  );
  return (
    <>
      <PageHead
        title="Intake"
        beside={quickViews}
        actions={
          <>
            {newRows}
            <Tooltip label="Refresh">
              <ActionIcon aria-label="Refresh" onClick={() => void refresh()}>
                <IconRefresh size={17} stroke={1.6} />
              </ActionIcon>
            </Tooltip>
          </>
        }
      />
      <IntakeFilters search={search} words={words} onChange={set} onClear={clear}>
        <SearchInput label="Filter messages" placeholder="Subject, patient, sender" value={words} onChange={list.setSearch} />
      </IntakeFilters>
      <DataTable
        label="Intake messages"
        columns={intakeColumns(userId)}
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
        isUnread={(m) => !m.isRead}
        stale={query.isPlaceholderData}
        selection={{ ids: selected, onChange: setSelected, bar }}
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
            <Menu.Item leftSection={<IconUserPlus size={16} stroke={1.6} />} onClick={() => startAssign([m.id])}>
              Assign
            </Menu.Item>
            {m.status !== 'Processed' && (
              <Menu.Item leftSection={<IconCheck size={16} stroke={1.6} />} onClick={() => process([m.id])}>
                Mark processed
              </Menu.Item>
            )}
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

type PhoneProps = {
  list: ReturnType<typeof useListState<IntakeSearch>>;
  shown: Page | undefined;
  error: Error | null;
  onRetry: () => void;
  quickViews: React.ReactNode;
  empty: React.ReactNode;
  footer: React.ReactNode;
  newRows: React.ReactNode;
  onClear: () => void;
  userId: string;
  onOpen: () => void;
};

function PhoneIntake({ list, shown, error, onRetry, quickViews, empty, footer, newRows, onClear, userId, onOpen }: PhoneProps) {
  const [searching, searchBox] = useDisclosure(Boolean(list.words));
  const [filtering, filters] = useDisclosure();
  useEscape(filtering, filters.close);
  const filtered = hasFilters(list.search, '');
  return (
    <>
      <PageHead
        title="Intake"
        beside={quickViews}
        actions={
          <>
            {newRows}
            <ActionIcon size={44} aria-label="Search" aria-expanded={searching} onClick={searchBox.toggle}>
              <IconSearch size={21} stroke={1.6} />
            </ActionIcon>
            <ActionIcon size={44} aria-label={filtered ? 'Filters, some set' : 'Filters'} onClick={filters.open}>
              <IconAdjustmentsHorizontal size={21} stroke={1.6} />
              {filtered && <span className="cp-dot m-dot" />}
            </ActionIcon>
          </>
        }
      />
      {searching && (
        <div className="m-beside m-form">
          <SearchInput
            label="Filter messages"
            placeholder="Subject, patient, sender"
            value={list.words}
            onChange={list.setSearch}
            width="100%"
          />
        </div>
      )}
      {error && !shown ? (
        <ErrorState title="The messages could not be loaded" error={error} onRetry={onRetry} />
      ) : shown?.items.length === 0 ? (
        empty
      ) : (
        <IntakeCards rows={shown?.items} userId={userId} onOpen={onOpen} />
      )}
      {footer}
      <Drawer
        opened={filtering}
        onClose={filters.close}
        closeOnEscape={false}
        position="bottom"
        size={240}
        title="Filters"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <IntakeFilters search={list.search} words="" onChange={list.set} onClear={onClear} />
      </Drawer>
    </>
  );
}
