import { Button, Menu } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { IconDeviceLandlinePhone, IconPencil, IconPlugConnected, IconPlus, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import type { FaxSource } from '@/api/types';
import { FaxAccounts } from '@/domain/fax/Accounts';
import { providersQuery } from '@/domain/fax/api';
import { notify } from '@/shared/notify';
import type { Column } from '@/shared/table/DataTable';
import { SearchInput } from '@/shared/table/filters';
import { PagedList } from '@/shared/table/PagedList';
import { useListState } from '@/shared/table/useListState';
import { EmptyState } from '@/shared/ui/blocks';
import { ConfirmDialog } from '@/shared/ui/Dialog';
import { Status } from '@/shared/ui/status';
import { useViewport } from '@/shared/useViewport';
import { activateNumber, numbersQuery, removeNumber } from './api';
import { NumberDialog } from './NumberDialog';

/** States of a document source, by code. */
const STATES = ['Provisioning', 'Activated', 'Pending update', 'Pending deletion', 'Deleted', 'Failed'];
const DELETED = STATES.indexOf('Deleted');
const stateName = (n: FaxSource) => STATES[n.status] ?? 'Provisioning';

const columnsOf = (providerName: (provider: string) => string): Column<FaxSource>[] => [
  { key: 'number', title: 'Number', width: 160, primary: true, numeric: true, sortable: true, render: (n) => n.displayAddress },
  { key: 'name', title: 'Name', text: (n) => n.displayName },
  { key: 'provider', title: 'Provider', width: 180, drop: 1, render: (n) => providerName(n.provider) },
  { key: 'status', title: 'Status', width: 150, render: (n) => <Status state={stateName(n)} /> },
  { key: 'problem', title: 'Problem', drop: 2, text: (n) => n.problem ?? '', render: (n) => n.problem ?? '' },
];

/** The fax numbers of the organization and the accounts behind them. */
export function NumbersTab() {
  const { isPhone } = useViewport();
  const list = useListState({ size: 25, sort: { by: 'number', dir: 'asc' } });
  const { words, page, size, order, set } = list;
  const query = useQuery(numbersQuery(words || undefined, order.dir, page, size));
  const providers = useQuery(providersQuery());
  const [editing, setEditing] = useState<FaxSource | 'new' | null>(null);
  const [removing, setRemoving] = useState<FaxSource | null>(null);
  const activate = useMutation({
    mutationFn: (n: FaxSource) => activateNumber(n.id),
    onSuccess: (n) =>
      n.problem ? notify('error', `${n.displayAddress}: ${n.problem}`) : notify('success', `${n.displayAddress} is active.`),
  });
  const remove = useMutation({
    mutationFn: (n: FaxSource) => removeNumber(n.id),
    onSuccess: (n) =>
      notify('success', n.status === DELETED ? 'The fax number was deleted.' : 'The fax number is deleted once its calls are over.'),
    onSettled: () => setRemoving(null),
  });
  const configured = providers.data?.filter((p) => p.isConfigured) ?? [];
  const nameOf = (provider: string) => providers.data?.find((p) => p.provider === provider)?.name ?? provider;
  const menu = (n: FaxSource) => (
    <>
      <Menu.Label>{n.displayAddress}</Menu.Label>
      <Menu.Item leftSection={<IconPencil size={16} stroke={1.6} />} onClick={() => setEditing(n)}>
        Edit
      </Menu.Item>
      <Menu.Item leftSection={<IconPlugConnected size={16} stroke={1.6} />} onClick={() => activate.mutate(n)}>
        Test and activate
      </Menu.Item>
      <Menu.Item data-danger leftSection={<IconTrash size={16} stroke={1.6} />} onClick={() => setRemoving(n)}>
        Delete
      </Menu.Item>
    </>
  );
  return (
    <>
      <FaxAccounts />
      <div className="cp-bar">
        <SearchInput
          label="Search fax numbers"
          placeholder="Search by number or name"
          width={isPhone ? '100%' : 240}
          value={words}
          onChange={list.setSearch}
        />
        <div className="cp-grow" />
        {configured.length > 0 && (
          <Button leftSection={<IconPlus size={16} stroke={1.8} />} onClick={() => setEditing('new')}>
            Add number
          </Button>
        )}
      </div>
      <PagedList
        label="Fax numbers"
        noun="numbers"
        query={query}
        list={list}
        columns={columnsOf(nameOf)}
        name={(n) => n.displayAddress}
        empty={<EmptyState icon={IconDeviceLandlinePhone} title="No fax number" text="Add and activate a number to send faxes from it." />}
        order={order}
        onSort={(by) => set({ sort: by, dir: order.dir === 'asc' ? 'desc' : 'asc' })}
        onOpen={setEditing}
        badge={(n) => <Status state={stateName(n)} />}
        second={(n) => <span className="cp-ell">{n.problem || n.displayName}</span>}
        menu={menu}
      />
      {editing && <NumberDialog number={editing === 'new' ? null : editing} providers={configured} onClose={() => setEditing(null)} />}
      <ConfirmDialog
        opened={removing !== null}
        onClose={() => setRemoving(null)}
        onConfirm={() => removing && remove.mutate(removing)}
        busy={remove.isPending}
        title="Delete the fax number?"
        subject={removing?.displayAddress ?? ''}
        question="Nobody can send from it, and faxes to it are refused."
        confirmLabel="Delete"
        danger
      />
    </>
  );
}
