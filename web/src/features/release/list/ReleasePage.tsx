import '../release.css';
import { ActionIcon, Button, Menu, Tooltip } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import {
  IconAlertTriangle,
  IconCornerUpRight,
  IconFolderOpen,
  IconPaperclip,
  IconPencil,
  IconPencilPlus,
  IconRefresh,
  IconSend2,
  IconTrash,
} from '@tabler/icons-react';
import { useState } from 'react';
import type { ReleaseItem, ReleasePage as Page } from '@/api/types';
import { useProfile } from '@/app/session';
import { useBulk } from '@/domain/messaging/bulk';
import { DeleteMessageDialog, useRestore } from '@/domain/messaging/DeleteMessageDialog';
import { FoundIn } from '@/domain/messaging/FoundIn';
import { useStartJob } from '@/domain/messaging/jobs/api';
import { BulkJobs } from '@/domain/messaging/jobs/BulkJobs';
import { RefusedDialog } from '@/domain/messaging/RefusedDialog';
import type { Refusal } from '@/shared/bulk';
import { formatAddress, formatCount, formatDateTime, formatRecent, formatWhen, plural, splitAddresses, truncate } from '@/shared/format';
import { tellsOf, useFresh } from '@/shared/hubs';
import { paths } from '@/shared/paths';
import { endOfDay, startOfDay } from '@/shared/rules/dates';
import { useShortcuts } from '@/shared/shortcuts';
import { type Column, DataTable } from '@/shared/table/DataTable';
import { ChoiceFilter, CountFilter, DateRangeFilter, SearchInput } from '@/shared/table/filters';
import { ListFooter } from '@/shared/table/ListFooter';
import { listOf, type SortState } from '@/shared/table/listSearch';
import { ownSearch, useExistingPage, useListState } from '@/shared/table/useListState';
import { SelectionBar, useSelection } from '@/shared/table/useSelection';
import { AppLink, useGo } from '@/shared/ui/AppLink';
import { useAsk } from '@/shared/ui/AskDialog';
import { EmptyState, ErrorState } from '@/shared/ui/blocks';
import { FaxIcon } from '@/shared/ui/icons';
import { MoreMenu } from '@/shared/ui/MoreMenu';
import { PageHead } from '@/shared/ui/PageHead';
import { stateOf } from '@/shared/ui/states';
import { Chip, Status } from '@/shared/ui/status';
import { useDiscard } from '@/shared/ui/useDiscard';
import { offerUndo, undoShortcut } from '@/shared/undo';
import { usePreference } from '@/shared/usePreference';
import { useViewport } from '@/shared/useViewport';
import { NonPhiFaxDialog } from '../nonPhi/NonPhiFaxDialog';
import { failedQuery } from '../failed/api';
import { idsOfReleases, refetchReleases, type ReleaseListRequest, releaseKey, releasesQuery } from '../api';
import { deliveryParts, mergeRows, newRows, rowState } from './delivery';
import { draftsOnly, type ReleaseSearch, STATUSES } from './search';

/** The most messages of one act. */
const SELECT_LIMIT = 10_000;

const recipients = (m: ReleaseItem) => (m.toAddresses?.length ? m.toAddresses : splitAddresses(m.toAddress));
const subjectOf = (m: ReleaseItem) => m.subject || 'No subject';

const DEFAULT_ORDER: SortState = { by: 'createdDate', dir: 'desc' };

/** Recipients by name where one is known, with all addresses behind. */
function Recipients({ message: m, show = 3 }: { message: ReleaseItem; show?: number }) {
  const all = recipients(m);
  const names = all.map((address, i) => m.toNames?.[i] || formatAddress(address));
  const title = all.map((address, i) => (m.toNames?.[i] ? `${m.toNames?.[i]} <${address}>` : formatAddress(address))).join('; ');
  return (
    <span className="cp-row rel-to" title={title}>
      <span className="cp-ell">{names.slice(0, show).join('; ')}</span>
      {names.length > show && <span className="cp-muted"> +{names.length - show} more</span>}
    </span>
  );
}

function Delivery({ item }: { item: ReleaseItem }) {
  const parts = deliveryParts(item.delivery);
  if (item.isDraft || parts.length === 0) return <span className="cp-muted">–</span>;
  return (
    <span className="rel-delivery" title={parts.map((p) => `${p.count} ${p.word}`).join(', ')}>
      {parts.map(({ state, count, word }) => {
        const { tone, icon: IconOf } = stateOf(state);
        return (
          <span key={state} className={`cp-plain t-${tone} cp-num`}>
            <IconOf size={15} stroke={1.9} aria-hidden />
            {count}
            <span className="cp-hidden"> {word}</span>
          </span>
        );
      })}
    </span>
  );
}

const columns: Column<ReleaseItem>[] = [
  {
    key: 'subject',
    title: 'Subject',
    primary: true,
    text: subjectOf,
    render: (m) => (
      <span className="cp-cell">
        <span className="cp-ell">{subjectOf(m)}</span>
        {m.attachmentCount ? (
          <span className="cp-src" title={`${m.attachmentCount} attached`}>
            <IconPaperclip size={15} stroke={1.6} aria-hidden />
            <span className="cp-num">{m.attachmentCount}</span>
            <span className="cp-hidden"> attached</span>
          </span>
        ) : null}
        <FoundIn places={m.foundIn} />
      </span>
    ),
  },
  { key: 'to', title: 'To', render: (m) => <Recipients message={m} /> },
  {
    key: 'patient',
    title: 'Patient',
    width: 170,
    drop: 3,
    text: (m) => m.patientName ?? '',
    render: (m) => m.patientName || <span className="cp-muted">–</span>,
  },
  { key: 'delivery', title: 'Delivery', width: 120, drop: 2, render: (m) => <Delivery item={m} /> },
  { key: 'status', title: 'Status', width: 128, sortable: true, render: (m) => <Status state={rowState(m)} /> },
  {
    key: 'createdDate',
    title: 'Date',
    width: 142,
    sortable: true,
    numeric: true,
    text: (m) => formatDateTime(m.messageDate ?? m.createdDate),
    render: (m) => formatWhen(m.messageDate ?? m.createdDate),
  },
];

const hrefOf = (m: ReleaseItem) => (m.isDraft ? paths.releaseDraft(m.id) : paths.releaseMessage(m.id));

/** Delivery states change in place; new rows wait behind a button. */
function useLiveRows(request: ReleaseListRequest) {
  const client = useQueryClient();
  const [arrived, setArrived] = useState(0);
  const { queryKey } = releasesQuery(request);
  const look = async () => {
    const fresh = await refetchReleases(request).catch(() => null);
    const shown = client.getQueryData<Page>(queryKey);
    if (!fresh || !shown) return;
    setArrived(newRows(shown.items, fresh.items));
    client.setQueryData<Page>(queryKey, { ...shown, items: mergeRows(shown.items, fresh.items) });
  };
  useFresh((frame) => tellsOf(frame, 'release'), look);
  const refresh = () => {
    setArrived(0);
    return client.invalidateQueries({ queryKey: [...releaseKey, 'list'] });
  };
  return { arrived, refresh };
}

/** Leads to what did not arrive, and says how much it is. */
function Undelivered() {
  const { data } = useQuery(failedQuery({ view: 'failed', pageStart: 1, pageSize: 1 }));
  const count = data?.totalCount ?? 0;
  return (
    <AppLink href={paths.releaseFailed} className="cp-link cp-row">
      <IconAlertTriangle size={16} stroke={1.6} aria-hidden />
      {count > 0 ? `Undelivered, ${formatCount(count)} failed` : 'Undelivered'}
    </AppLink>
  );
}

export function ReleasePage() {
  const go = useGo();
  const { isPhone } = useViewport();
  const { orgIsActivated } = useProfile();
  const [keptSize, keepSize] = usePreference('releasePageSize', 25);
  const list = useListState<ReleaseSearch>({ size: keptSize, sort: DEFAULT_ORDER, privateSearch: true });
  const { search, words, page, size, set, order } = list;
  const range = search.from && search.until ? { start: search.from, end: search.until } : null;
  const isDefaultOrder = order.by === DEFAULT_ORDER.by && order.dir === DEFAULT_ORDER.dir;
  const statuses = listOf(search.statuses);
  const request: ReleaseListRequest = {
    pageStart: page,
    pageSize: size,
    cursor: search.cursor,
    isDraft: draftsOnly(search),
    filter: words || undefined,
    statuses: search.view === 'drafts' ? undefined : search.statuses,
    startDate: range ? startOfDay(range.start) : undefined,
    endDate: range ? endOfDay(range.end) : undefined,
    // What was searched for comes the newest first.
    ...(words || isDefaultOrder ? {} : { orderBy: order.by ?? undefined, orderDir: order.dir }),
  };
  const selection = useSelection(JSON.stringify({ ...request, pageStart: 0, pageSize: 0, cursor: undefined }));
  const remove = useBulk(releaseKey);
  const [refused, setRefused] = useState<Refusal[]>([]);
  const [ask, question] = useAsk();
  const [discard, discardQuestion] = useDiscard();
  const job = useStartJob();
  const restore = useRestore();
  useShortcuts([undoShortcut]);
  const query = useQuery(releasesQuery(request));
  const { arrived, refresh } = useLiveRows(request);
  const [toDelete, setToDelete] = useState<ReleaseItem | null>(null);
  const [faxing, fax] = useDisclosure();
  const canWrite = orgIsActivated !== false;

  const isGone = useExistingPage(list, {
    rows: query.data?.items,
    total: query.data?.totalCount,
    isPlaceholder: query.isPlaceholderData,
  });
  const rows = isGone ? undefined : query.data?.items;
  const filtered = Boolean(words || statuses.length || range);
  const clear = () => set({ statuses: undefined, from: undefined, until: undefined }, ownSearch(undefined));
  const areDrafts = search.view === 'drafts';
  const removed = areDrafts ? 'discarded' : 'deleted';
  const removeSelected = () => {
    const total = formatCount(query.data?.totalCount ?? 0, query.data?.totalIsCapped);
    const noun = areDrafts ? 'draft' : 'message';
    const subject = selection.isAll ? `all ${total} ${noun}s` : plural(selection.ids.size, noun);
    const run = async () => {
      if (selection.isAll) {
        const { isDraft, filter, statuses, startDate, endDate } = request;
        await job.mutateAsync({ act: 'delete', release: { isDraft, filter, statuses, startDate, endDate } });
        return selection.clear();
      }
      const { done, refused } = await remove.mutateAsync({ act: 'delete', ids: selection.list });
      selection.clear();
      setRefused(refused);
      if (done.length > 0) offerUndo(`${plural(done.length, noun)} ${removed}.`, () => restore(done));
    };
    const failed = 'They could not be removed. Please try again.';
    if (areDrafts) {
      const lost = 'Their texts and attachments are removed for everybody in your organization.';
      return discard({ what: subject, subject, lost, run, failed });
    }
    const leave = 'They leave Release for everybody in your organization.';
    ask({ title: `Delete ${subject}?`, subject, question: leave, label: 'Delete', danger: true, run, failed });
  };
  const write = canWrite && (
    <Button leftSection={<IconPencilPlus size={16} stroke={1.8} />} onClick={() => go(paths.releaseNew)}>
      New release
    </Button>
  );
  const empty = filtered ? (
    <EmptyState icon={IconSend2} title="No release matches these filters" text="Try other words or another status.">
      <Button variant="default" onClick={clear}>
        Clear filters
      </Button>
    </EmptyState>
  ) : search.view === 'drafts' ? (
    <EmptyState icon={IconPencil} title="No drafts" text="A release that you put aside waits here until you send it.">
      {write}
    </EmptyState>
  ) : (
    <EmptyState
      icon={IconSend2}
      title="Nothing released yet"
      text={
        canWrite
          ? 'Send documents to a Direct address or a fax number, and follow their delivery here.'
          : 'Your organization is not activated yet. As soon as it is, you can send documents from here.'
      }
    >
      {write}
    </EmptyState>
  );
  const views = (
    <CountFilter
      label="Quick views"
      fullWidth={isPhone}
      value={search.view ?? 'all'}
      onChange={(v) =>
        set({ view: v === 'all' ? undefined : (v as ReleaseSearch['view']), ...(v === 'drafts' ? { statuses: undefined } : {}) })
      }
      views={[
        { value: 'all', label: 'All' },
        { value: 'drafts', label: 'Drafts' },
        { value: 'sent', label: 'Sent' },
      ]}
    />
  );
  const fresh = arrived > 0 && (
    <Button size="xs" variant="light" onClick={() => void refresh()}>
      {arrived} new
    </Button>
  );
  return (
    <>
      <PageHead
        title="Release"
        beside={views}
        actions={
          <>
            {!isPhone && (
              <Tooltip label="Refresh">
                <ActionIcon aria-label="Refresh" onClick={() => void refresh()}>
                  <IconRefresh size={17} stroke={1.6} />
                </ActionIcon>
              </Tooltip>
            )}
            {isPhone && canWrite ? (
              <ActionIcon size={44} aria-label="New release" onClick={() => go(paths.releaseNew)}>
                <IconPencilPlus size={21} stroke={1.6} />
              </ActionIcon>
            ) : (
              write
            )}
            {canWrite && (
              <MoreMenu isFramed={!isPhone} isLarge={isPhone} label="More ways to send">
                <Menu.Item leftSection={<FaxIcon size={16} stroke={1.6} />} onClick={fax.open}>
                  Non-PHI fax
                </Menu.Item>
              </MoreMenu>
            )}
          </>
        }
      />
      <div className="cp-bar rel-bar">
        <SearchInput
          label="Search releases"
          placeholder="Patient, birth date, MRN, subject, recipient, document"
          value={words}
          onChange={list.setSearch}
          width={isPhone ? '100%' : undefined}
        />
        {search.view !== 'drafts' && (
          <ChoiceFilter
            label="Status"
            choices={STATUSES.map((s) => ({ value: s, label: s }))}
            value={statuses}
            onChange={(v) => set({ statuses: v.join(',') || undefined })}
          />
        )}
        <DateRangeFilter label="Date" value={range} hasAll onChange={(r) => set({ from: r?.start, until: r?.end })} />
        {fresh}
        <div className="cp-grow" />
        <Undelivered />
      </div>
      <BulkJobs />
      {isPhone ? (
        <Cards rows={rows} error={query.error} onRetry={() => void query.refetch()} empty={empty} />
      ) : (
        <DataTable
          label="Releases"
          columns={columns}
          rows={rows}
          rowId={(m) => m.id}
          rowName={subjectOf}
          error={query.error}
          errorTitle="The releases could not be loaded"
          onRetry={() => void query.refetch()}
          empty={empty}
          href={hrefOf}
          order={words ? DEFAULT_ORDER : order}
          onSort={words ? undefined : list.toggleSort}
          selection={{
            ...selection,
            bar: (
              <SelectionBar
                selection={selection}
                total={query.data?.totalCount}
                isCapped={query.data?.totalIsCapped}
                limit={SELECT_LIMIT}
                all={() => idsOfReleases(request, SELECT_LIMIT)}
              >
                <Button variant="subtle" color="red" leftSection={<IconTrash size={16} stroke={1.6} />} onClick={removeSelected}>
                  {areDrafts ? 'Discard' : 'Delete'}
                </Button>
              </SelectionBar>
            ),
          }}
          stale={query.isPlaceholderData}
          rowMenu={(m) => (
            <>
              <Menu.Label>{truncate(subjectOf(m), 40)}</Menu.Label>
              <Menu.Item
                leftSection={m.isDraft ? <IconPencil size={16} stroke={1.6} /> : <IconFolderOpen size={16} stroke={1.6} />}
                onClick={() => go(hrefOf(m))}
              >
                {m.isDraft ? 'Edit' : 'Open'}
              </Menu.Item>
              {!m.isDraft && canWrite && (
                <Menu.Item leftSection={<IconCornerUpRight size={16} stroke={1.6} />} onClick={() => go(paths.releaseForward(m.id))}>
                  Forward
                </Menu.Item>
              )}
              <Menu.Divider />
              <Menu.Item data-danger leftSection={<IconTrash size={16} stroke={1.6} />} onClick={() => setToDelete(m)}>
                Delete
              </Menu.Item>
            </>
          )}
        />
      )}
      {query.data && rows && rows.length > 0 && (
        <ListFooter
          page={page}
          size={size}
          count={rows.length}
          total={query.data.totalCount}
          capped={query.data.totalIsCapped}
          nextCursor={query.data.nextCursor}
          onPage={list.setPage}
          onSize={(n) => {
            keepSize(n);
            set({ size: n });
          }}
          noun="releases"
        />
      )}
      {faxing && <NonPhiFaxDialog onClose={fax.close} />}
      <DeleteMessageDialog message={toDelete} onClose={() => setToDelete(null)} onDeleted={() => toDelete && selection.drop(toDelete.id)} />
      {question}
      {discardQuestion}
      {refused.length > 0 && (
        <RefusedDialog
          refused={refused}
          hrefOf={areDrafts ? paths.releaseDraft : paths.releaseMessage}
          subjectOf={(id) => rows?.find((m) => m.id === id)?.subject}
          verb={removed}
          onClose={() => setRefused([])}
        />
      )}
    </>
  );
}

type CardsProps = { rows: ReleaseItem[] | undefined; error: Error | null; onRetry: () => void; empty: React.ReactNode };

/** The list on a phone. */
function Cards({ rows, error, onRetry, empty }: CardsProps) {
  if (error && !rows) return <ErrorState title="The releases could not be loaded" error={error} onRetry={onRetry} />;
  if (rows?.length === 0) return empty;
  return (
    <ul className="cp-scroll rel-cards" aria-label="Releases" aria-busy={!rows}>
      {rows?.map((m) => (
        <li key={m.id}>
          <AppLink href={hrefOf(m)} className="rel-card">
            <span className="cp-row">
              <span className="cp-ell cp-grow cp-strong">{subjectOf(m)}</span>
              <span className="cp-muted cp-num rel-sub">{formatRecent(m.messageDate ?? m.createdDate)}</span>
            </span>
            <span className="cp-row">
              <span className="cp-ell cp-grow cp-second">
                <Recipients message={m} show={1} />
              </span>
              <Chip state={rowState(m)} />
            </span>
            {m.patientName && <span className="cp-ell cp-muted">{m.patientName}</span>}
            <FoundIn places={m.foundIn} />
          </AppLink>
        </li>
      ))}
      {!rows &&
        Array.from({ length: 6 }, (_, i) => (
          <li key={String(i)} className="rel-card" aria-hidden>
            <div className="cp-bone" style={{ width: '70%' }} />
            <div className="cp-bone" style={{ width: '45%' }} />
          </li>
        ))}
    </ul>
  );
}
