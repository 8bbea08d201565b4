import '../admin.css';
import { Button, Menu, Switch } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import {
  IconBuildingHospital,
  IconCalendarOff,
  IconCalendarX,
  IconCircleCheck,
  IconDownload,
  IconLock,
  IconLockOpen2,
  IconPencil,
  IconPlayerRecord,
  IconPlayerStop,
  IconPlus,
  IconRefresh,
  IconTableImport,
  IconTrash,
} from '@tabler/icons-react';
import { useState } from 'react';
import type { OrganizationRow } from '@/api/types';
import { formatCount } from '@/shared/format';
import { paths } from '@/shared/paths';
import { useShortcuts } from '@/shared/shortcuts';
import type { Column } from '@/shared/table/DataTable';
import { SearchInput } from '@/shared/table/filters';
import { PagedList } from '@/shared/table/PagedList';
import { useListState } from '@/shared/table/useListState';
import { useGo } from '@/shared/ui/AppLink';
import { EmptyState } from '@/shared/ui/blocks';
import { PageHead } from '@/shared/ui/PageHead';
import { Chip, Status } from '@/shared/ui/status';
import { useViewport } from '@/shared/useViewport';
import { HELP } from '@/shared/help';
import { configurationQuery, exportDirectAddresses, organizationsQuery, setApiCapture, setLogin, syncOrganization } from './api';
import { ActivationDialog, ClearCancellationDialog, DeleteOrganizationDialog, useAct } from './dialogs';
import type { OrganizationsSearch } from './search';

const SEARCH_DELAY_MS = 400;

/** Ids start with their creation time, so their ends are shown to distinguish them. */
const shortId = (id: string | null | undefined) => id?.slice(-6);
const dash = <span className="cp-muted">–</span>;
const activation = (o: OrganizationRow) => (o.isActivated ? 'Activated' : 'Not Activated');
const login = (o: OrganizationRow) => (o.isEnabled ? 'Enabled' : 'Disabled');
const Canceling = ({ short }: { short?: boolean }) => (
  <span title="Cancellation pending" className={short ? 'adm-short' : undefined}>
    <Chip tone="warn" icon={IconCalendarX}>
      <span className={short ? 'cp-hidden' : undefined}>Canceling</span>
    </Chip>
  </span>
);

function columnsWith(capture: boolean): Column<OrganizationRow>[] {
  return [
    {
      key: 'orgId',
      title: 'ID',
      width: 84,
      drop: 1,
      text: (o) => String(o.orgId ?? ''),
      render: (o) => <span className="cp-mono">{shortId(o.orgId)}</span>,
    },
    {
      key: 'name',
      title: 'Organization',
      primary: true,
      sortable: true,
      text: (o) => o.name,
      render: (o) => (
        <span className="cp-cell">
          <span className="cp-ell">{o.name}</span>
          {o.isPendingCancellation && <Canceling short />}
        </span>
      ),
    },
    { key: 'network', title: 'Network', width: 134, text: (o) => o.networkName ?? '', render: (o) => o.networkName || dash },
    { key: 'subDomain', title: 'Subdomain', width: 114, drop: 2, text: (o) => o.subDomain ?? '', render: (o) => o.subDomain || dash },
    {
      key: 'reseller',
      title: 'Reseller',
      help: HELP.reseller,
      width: 118,
      drop: 1,
      text: (o) => o.resellerName ?? '',
      render: (o) => o.resellerName || dash,
    },
    { key: 'tier', title: 'Tier', width: 114, drop: 3, text: (o) => o.tierCode ?? '', render: (o) => o.tierCode || dash },
    { key: 'activation', title: 'Activation', width: 126, render: (o) => <Status state={activation(o)} /> },
    { key: 'login', title: 'Login', width: 98, render: (o) => <Status state={login(o)} /> },
    { key: 'loginType', title: 'Login type', width: 84, drop: 1, render: (o) => o.loginType || dash },
    ...(capture
      ? [
          {
            key: 'capture',
            title: 'API capture',
            width: 106,
            render: (o: OrganizationRow) => (o.apiCapture ? <Status state="Capturing" /> : dash),
          },
        ]
      : []),
  ];
}

type Question = { kind: 'delete' | 'activation' | 'clear'; organization: OrganizationRow };

/** All tenants of the platform. */
export function OrganizationsPage() {
  const go = useGo();
  const { isPhone } = useViewport();
  const { apiCaptureEnabled: capture = false } = useQuery(configurationQuery).data ?? {};
  const list = useListState<OrganizationsSearch>({ sort: { by: 'name', dir: 'asc' } });
  const { search, words, page, size, order, set } = list;
  const query = useQuery(
    organizationsQuery({ cancelling: search.cancelling, search: words || undefined, sortDir: order.dir, pageNumber: page, pageSize: size }),
  );
  const [question, ask] = useState<Question | null>(null);
  useShortcuts([{ keys: 'n', label: 'Create an organization', run: () => go(paths.adminOrganizationAdd()) }]);
  const changes = useChanges();
  return (
    <>
      <PageHead
        title="Organizations"
        beside={
          query.data && !isPhone && <span className="cp-muted cp-num">{formatCount(query.data.totalCount, query.data.totalIsCapped)}</span>
        }
        actions={<HeadActions />}
      />
      <div className="cp-bar adm-bar">
        <SearchInput
          label="Search organizations"
          placeholder="Search by name"
          width={isPhone ? '100%' : 280}
          delay={SEARCH_DELAY_MS}
          value={words}
          onChange={list.setSearch}
        />
        <Switch
          label="Show Canceled / Canceling Soon"
          checked={search.cancelling ?? false}
          onChange={(e) => set({ cancelling: e.currentTarget.checked || undefined })}
        />
      </div>
      <PagedList
        label="Organizations"
        noun="organizations"
        query={query}
        list={list}
        columns={columnsWith(capture)}
        name={(o) => o.name}
        empty={
          <Empty
            words={words}
            cancelling={search.cancelling ?? false}
            onShowAll={() => set({ search: undefined, cancelling: undefined })}
          />
        }
        order={order}
        onSort={() => set(order.dir === 'asc' ? { sort: 'name', dir: 'desc' } : { sort: undefined, dir: undefined })}
        onOpen={(o) => go(paths.adminOrganization(o.id))}
        href={(o) => paths.adminOrganization(o.id)}
        badge={(o) => o.isPendingCancellation && <Canceling />}
        second={(o) => (
          <>
            <span className="cp-ell cp-grow">{o.subDomain}</span>
            <Status state={activation(o)} />
            {!o.isEnabled && <Status state="Disabled" />}
          </>
        )}
        menu={(o) => <RowMenu organization={o} changes={changes} ask={ask} />}
      />
      {question?.kind === 'delete' && <DeleteOrganizationDialog organization={question.organization} onClose={() => ask(null)} />}
      {question?.kind === 'clear' && <ClearCancellationDialog organization={question.organization} onClose={() => ask(null)} />}
      {question?.kind === 'activation' && <ActivationDialog organization={question.organization} onClose={() => ask(null)} />}
    </>
  );
}

/** The changes that the menu of a row makes at once. */
function useChanges() {
  const toggleLogin = useAct(({ id, enable }: { id: string; enable: boolean }) => setLogin(id, enable), {
    done: 'Organization Login Ability has been updated.',
    failed: 'There was an error updating the organization login ability.',
  });
  const toggleCapture = useAct(({ id, enable }: { id: string; enable: boolean }) => setApiCapture(id, enable), {
    done: 'Organization API settings updated.',
    failed: 'There was an error updating the organization API setting.',
  });
  const sync = useAct(syncOrganization, {
    done: 'Organization Intercom Sync has been initialized.',
    failed: 'There was an error trying to sync organization with Intercom.',
  });
  return { toggleLogin, toggleCapture, sync };
}

function HeadActions() {
  const go = useGo();
  const { isPhone } = useViewport();
  const exported = useAct(exportDirectAddresses, {
    done: 'The Direct addresses have been exported.',
    failed: 'There was an error exporting the Direct addresses.',
  });
  return (
    <>
      {!isPhone && (
        <>
          <Button
            variant="default"
            leftSection={<IconDownload size={16} stroke={1.6} />}
            loading={exported.isPending}
            onClick={() => exported.mutate(undefined)}
          >
            Export Direct Addresses
          </Button>
          <Button
            variant="default"
            leftSection={<IconTableImport size={16} stroke={1.6} />}
            onClick={() => go(paths.adminImports('organizations'))}
          >
            Import
          </Button>
        </>
      )}
      <Button leftSection={<IconPlus size={16} stroke={2} />} onClick={() => go(paths.adminOrganizationAdd())}>
        Create
      </Button>
    </>
  );
}

function Empty({ words, cancelling, onShowAll }: { words: string; cancelling: boolean; onShowAll: () => void }) {
  if (!words && !cancelling)
    return <EmptyState icon={IconBuildingHospital} title="No organizations yet" text="Create the first tenant of the platform." />;
  return (
    <EmptyState
      icon={IconBuildingHospital}
      title="No organization matches"
      text={cancelling ? 'No organization is canceled or canceling soon.' : 'Try another part of the name.'}
    >
      <Button variant="default" onClick={onShowAll}>
        Show all
      </Button>
    </EmptyState>
  );
}

type MenuProps = { organization: OrganizationRow; changes: ReturnType<typeof useChanges>; ask: (question: Question) => void };

function RowMenu({ organization: o, changes: { toggleLogin, toggleCapture, sync }, ask }: MenuProps) {
  const go = useGo();
  const { apiCaptureEnabled: capture = false, customerMessagingEnabled: canSync = false } = useQuery(configurationQuery).data ?? {};
  return (
    <>
      <Menu.Label>{o.name}</Menu.Label>
      <Menu.Item leftSection={<IconPencil size={16} stroke={1.6} />} onClick={() => go(paths.adminOrganization(o.id))}>
        Edit
      </Menu.Item>
      <Menu.Item leftSection={<IconCircleCheck size={16} stroke={1.6} />} onClick={() => ask({ kind: 'activation', organization: o })}>
        Activation Status
      </Menu.Item>
      <Menu.Item
        leftSection={o.isEnabled ? <IconLock size={16} stroke={1.6} /> : <IconLockOpen2 size={16} stroke={1.6} />}
        onClick={() => toggleLogin.mutate({ id: o.id, enable: !o.isEnabled })}
      >
        {o.isEnabled ? 'Disable Login' : 'Enable Login'}
      </Menu.Item>
      {o.isPendingCancellation && (
        <Menu.Item leftSection={<IconCalendarOff size={16} stroke={1.6} />} onClick={() => ask({ kind: 'clear', organization: o })}>
          Clear Cancellation
        </Menu.Item>
      )}
      {canSync && (
        <Menu.Item leftSection={<IconRefresh size={16} stroke={1.6} />} onClick={() => sync.mutate(o.id)}>
          Sync with Intercom
        </Menu.Item>
      )}
      {capture && (
        <Menu.Item
          leftSection={o.apiCapture ? <IconPlayerStop size={16} stroke={1.6} /> : <IconPlayerRecord size={16} stroke={1.6} />}
          onClick={() => toggleCapture.mutate({ id: o.id, enable: !o.apiCapture })}
        >
          {o.apiCapture ? 'Stop API Capture' : 'Start API Capture'}
        </Menu.Item>
      )}
      <Menu.Divider />
      <Menu.Item data-danger leftSection={<IconTrash size={16} stroke={1.6} />} onClick={() => ask({ kind: 'delete', organization: o })}>
        Delete Organization
      </Menu.Item>
    </>
  );
}
