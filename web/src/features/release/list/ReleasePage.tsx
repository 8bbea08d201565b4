import '../release.css';
import { ActionIcon, Button, Menu, Tooltip } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import {
  IconAlertTriangle,
  IconCornerUpRight,
  IconFolderOpen,
  IconPencil,
  IconPencilPlus,
  IconRefresh,
  IconSend2,
  IconTrash,
} from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { ReleaseItem } from '@/api/types';
import { useProfile } from '@/app/session';
import { BulkJobs } from '@/domain/messaging/jobs/BulkJobs';
import { formatCount, truncate } from '@/shared/format';
import { paths } from '@/shared/paths';
import { useShortcuts } from '@/shared/shortcuts';
import { DataTable } from '@/shared/table/DataTable';
import { ChoiceFilter, CountFilter, DateRangeFilter, SearchInput } from '@/shared/table/filters';
import { ListFooter } from '@/shared/table/ListFooter';
import { SelectionBar } from '@/shared/table/useSelection';
import { AppLink, useGo } from '@/shared/ui/AppLink';
import { EmptyState } from '@/shared/ui/blocks';
import { FaxIcon } from '@/shared/ui/icons';
import { MoreMenu } from '@/shared/ui/MoreMenu';
import { PageHead } from '@/shared/ui/PageHead';
import { undoShortcut } from '@/shared/undo';
import { useViewport } from '@/shared/useViewport';
import { NonPhiFaxDialog } from '../nonPhi/NonPhiFaxDialog';
import { useFailedCount } from '../failed/api';
import { idsOfReleases } from '../api';
import { columns, hrefOf, ReleaseCards, subjectOf } from './releaseRows';
import { type ReleaseSearch, STATUSES } from './search';
import { DEFAULT_ORDER, type ReleaseList, useReleaseList } from './useReleaseList';
import { useRemoving } from './useRemoving';

/** Maximum number of messages per act. */
const SELECT_LIMIT = 10_000;

export function ReleasePage() {
  const { isPhone } = useViewport();
  const releases = useReleaseList();
  const removing = useRemoving(releases);
  useShortcuts([undoShortcut]);
  const [faxing, fax] = useDisclosure();
  const canWrite = useProfile().orgIsActivated !== false;
  const { list, query, rows, selection } = releases;
  const retry = () => void query.refetch();
  const empty = <Empty releases={releases} canWrite={canWrite} />;
  return (
    <>
      <PageHead
        title="Release"
        beside={<QuickViews releases={releases} />}
        actions={<HeadActions canWrite={canWrite} onRefresh={() => void releases.refresh()} onFax={fax.open} />}
      />
      <FilterBar releases={releases} />
      <BulkJobs />
      {isPhone ? (
        <ReleaseCards rows={rows} error={query.error} onRetry={retry} empty={empty} />
      ) : (
        <DataTable
          label="Releases"
          columns={columns}
          rows={rows}
          rowId={(m) => m.id}
          rowName={subjectOf}
          error={query.error}
          errorTitle="The releases could not be loaded"
          onRetry={retry}
          empty={empty}
          href={hrefOf}
          order={list.words ? DEFAULT_ORDER : list.order}
          onSort={list.words ? undefined : list.toggleSort}
          selection={{ ...selection, bar: <SelectedBar releases={releases} onRemove={removing.removeSelected} /> }}
          stale={query.isPlaceholderData}
          rowMenu={(m) => <RowMenu message={m} canWrite={canWrite} onDelete={() => removing.removeOne(m)} />}
        />
      )}
      {query.data && rows && rows.length > 0 && (
        <ListFooter
          page={list.page}
          size={list.size}
          count={rows.length}
          total={query.data.totalCount}
          capped={query.data.totalIsCapped}
          nextCursor={query.data.nextCursor}
          onPage={list.setPage}
          onSize={releases.keepSize}
          noun="releases"
        />
      )}
      {faxing && <NonPhiFaxDialog onClose={fax.close} />}
      {removing.dialogs}
    </>
  );
}

type ListProps = { releases: ReleaseList };

function QuickViews({ releases: { list } }: ListProps) {
  const { isPhone } = useViewport();
  return (
    <CountFilter
      label="Quick views"
      fullWidth={isPhone}
      value={list.search.view ?? 'all'}
      onChange={(v) =>
        list.set({ view: v === 'all' ? undefined : (v as ReleaseSearch['view']), ...(v === 'drafts' ? { statuses: undefined } : {}) })
      }
      views={[
        { value: 'all', label: 'All' },
        { value: 'drafts', label: 'Drafts' },
        { value: 'sent', label: 'Sent' },
      ]}
    />
  );
}

function NewRelease() {
  const go = useGo();
  return (
    <Button leftSection={<IconPencilPlus size={16} stroke={1.8} />} onClick={() => go(paths.releaseNew)}>
      New release
    </Button>
  );
}

function HeadActions({ canWrite, onRefresh, onFax }: { canWrite: boolean; onRefresh: () => void; onFax: () => void }) {
  const go = useGo();
  const { isPhone } = useViewport();
  return (
    <>
      {!isPhone && (
        <Tooltip label="Refresh">
          <ActionIcon aria-label="Refresh" onClick={onRefresh}>
            <IconRefresh size={17} stroke={1.6} />
          </ActionIcon>
        </Tooltip>
      )}
      {canWrite && !isPhone && <NewRelease />}
      {canWrite && isPhone && (
        <ActionIcon size={44} aria-label="New release" onClick={() => go(paths.releaseNew)}>
          <IconPencilPlus size={21} stroke={1.6} />
        </ActionIcon>
      )}
      {canWrite && (
        <MoreMenu isFramed={!isPhone} isLarge={isPhone} label="More ways to send">
          <Menu.Item leftSection={<FaxIcon size={16} stroke={1.6} />} onClick={onFax}>
            Non-PHI fax
          </Menu.Item>
        </MoreMenu>
      )}
    </>
  );
}

function FilterBar({ releases: { list, areDrafts, statuses, range, arrived, refresh } }: ListProps) {
  const { isPhone } = useViewport();
  return (
    <div className="cp-bar rel-bar">
      <SearchInput
        label="Search releases"
        placeholder="Patient, birth date, MRN, subject, recipient, document"
        value={list.words}
        onChange={list.setSearch}
        width={isPhone ? '100%' : undefined}
      />
      {!areDrafts && (
        <ChoiceFilter
          label="Status"
          choices={STATUSES.map((s) => ({ value: s, label: s }))}
          value={statuses}
          onChange={(v) => list.set({ statuses: v.join(',') || undefined })}
        />
      )}
      <DateRangeFilter label="Date" value={range} hasAll onChange={(r) => list.set({ from: r?.start, until: r?.end })} />
      {arrived > 0 && (
        <Button size="xs" variant="light" onClick={() => void refresh()}>
          {arrived} new
        </Button>
      )}
      <div className="cp-grow" />
      <Undelivered />
    </div>
  );
}

/** Link to the undelivered messages, with their number. */
function Undelivered() {
  const { data } = useFailedCount();
  const count = data ? data.messages + data.charts : 0;
  return (
    <AppLink href={paths.releaseFailed} className="cp-link cp-row">
      <IconAlertTriangle size={16} stroke={1.6} aria-hidden />
      {count > 0 ? `Undelivered, ${formatCount(count)} failed` : 'Undelivered'}
    </AppLink>
  );
}

const SelectedBar = ({ releases: { selection, query, request, areDrafts }, onRemove }: ListProps & { onRemove: () => void }) => (
  <SelectionBar
    selection={selection}
    total={query.data?.totalCount}
    isCapped={query.data?.totalIsCapped}
    limit={SELECT_LIMIT}
    all={() => idsOfReleases(request, SELECT_LIMIT)}
  >
    <Button variant="subtle" color="red" leftSection={<IconTrash size={16} stroke={1.6} />} onClick={onRemove}>
      {areDrafts ? 'Discard' : 'Delete'}
    </Button>
  </SelectionBar>
);

function RowMenu({ message: m, canWrite, onDelete }: { message: ReleaseItem; canWrite: boolean; onDelete: () => void }) {
  const go = useGo();
  return (
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
      <Menu.Item data-danger leftSection={<IconTrash size={16} stroke={1.6} />} onClick={onDelete}>
        Delete
      </Menu.Item>
    </>
  );
}

function Empty({ releases: { isFiltered, areDrafts, clear }, canWrite }: ListProps & { canWrite: boolean }): ReactNode {
  const write = canWrite && <NewRelease />;
  if (isFiltered)
    return (
      <EmptyState icon={IconSend2} title="No release matches these filters" text="Try other words or another status.">
        <Button variant="default" onClick={clear}>
          Clear filters
        </Button>
      </EmptyState>
    );
  if (areDrafts)
    return (
      <EmptyState icon={IconPencil} title="No drafts" text="Saved drafts appear here until you send them.">
        {write}
      </EmptyState>
    );
  return (
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
}
