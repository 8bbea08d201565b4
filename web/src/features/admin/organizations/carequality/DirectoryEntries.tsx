import { Button, Menu } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconBook2, IconCircleCheck, IconCircleOff, IconPencil, IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import type { DirectoryEntry, Organization } from '@/api/types';
import type { Column } from '@/shared/table/DataTable';
import { PagedList } from '@/shared/table/PagedList';
import { useListState } from '@/shared/table/useListState';
import { EmptyState } from '@/shared/ui/blocks';
import { Status } from '@/shared/ui/status';
import { entriesQuery } from './api';
import { DirectoryEntryDialog, EntryActivityDialog } from './dialogs';
import { entityTypeOf } from './rules';

const columns: Column<DirectoryEntry>[] = [
  {
    key: 'name',
    title: 'Name',
    primary: true,
    text: (e) => e.displayName,
    render: (e) => (
      <span className="cp-cell">
        <span className="cp-ell">{e.displayName}</span>
        <span className="cp-muted">{entityTypeOf(e)}</span>
        {!e.isActive && <Status state="Inactive" />}
      </span>
    ),
  },
  {
    key: 'oid',
    title: 'OID',
    width: 280,
    text: (e) => e.organizationId,
    render: (e) => <span className="cp-mono">{e.organizationId}</span>,
  },
  {
    key: 'parent',
    title: 'Parent OID',
    width: 280,
    drop: 1,
    text: (e) => e.parentOrgId,
    render: (e) => (e.parentOrgId ? <span className="cp-mono">{e.parentOrgId}</span> : <span className="cp-muted">–</span>),
  },
];

type Open = { kind: 'edit'; entry: DirectoryEntry | null } | { kind: 'flip'; entry: DirectoryEntry };

/** What the organization is in the directory of the Carequality network. */
export function DirectoryEntries({ organization }: { organization: Organization }) {
  const { data, error, refetch } = useQuery(entriesQuery(organization.id));
  const list = useListState();
  const { page, size } = list;
  const shown = data && { items: data.slice((page - 1) * size, page * size), totalCount: data.length, totalIsCapped: false };
  const [open, setOpen] = useState<Open | null>(null);
  const close = () => setOpen(null);
  const menu = (entry: DirectoryEntry) => (
    <>
      <Menu.Label>{entry.displayName}</Menu.Label>
      <Menu.Item leftSection={<IconPencil size={16} stroke={1.6} />} onClick={() => setOpen({ kind: 'edit', entry })}>
        Edit
      </Menu.Item>
      <Menu.Item
        leftSection={entry.isActive ? <IconCircleOff size={16} stroke={1.6} /> : <IconCircleCheck size={16} stroke={1.6} />}
        onClick={() => setOpen({ kind: 'flip', entry })}
      >
        {entry.isActive ? 'Deactivate' : 'Activate'}
      </Menu.Item>
    </>
  );
  return (
    <section className="adm-panel" aria-labelledby="directory-entries">
      <div className="cp-bar adm-bar">
        <h2 id="directory-entries">Directory entries</h2>
        <div className="cp-grow" />
        <Button leftSection={<IconPlus size={16} stroke={2} />} onClick={() => setOpen({ kind: 'edit', entry: null })}>
          Add
        </Button>
      </div>
      <PagedList
        label="Directory entries"
        noun="directory entries"
        // After a failure nothing of before is shown, only what the server said.
        query={{ data: error ? undefined : shown, error, isPlaceholderData: false, refetch }}
        list={list}
        columns={columns}
        name={(e) => e.displayName}
        badge={(e) => !e.isActive && <Status state="Inactive" />}
        second={(e) => (
          <span className="cp-ell">
            {entityTypeOf(e)} · <span className="cp-mono">{e.organizationId}</span>
          </span>
        )}
        empty={
          <EmptyState icon={IconBook2} title="No directory entry" text="The organization does not stand in the Carequality directory." />
        }
        onOpen={(entry) => setOpen({ kind: 'edit', entry })}
        menu={menu}
      />
      {open?.kind === 'edit' && <DirectoryEntryDialog organization={organization} entry={open.entry} onClose={close} />}
      {open?.kind === 'flip' && <EntryActivityDialog organizationId={organization.id} entry={open.entry} onClose={close} />}
    </section>
  );
}
