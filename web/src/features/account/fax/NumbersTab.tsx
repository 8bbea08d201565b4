import { Button, Menu } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { IconDeviceLandlinePhone, IconPencil, IconPlugConnected, IconPlus, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import type { FaxAccount, FaxSource } from '@/api/types';
import { reportError } from '@/shared/errors';
import { notify } from '@/shared/notify';
import type { Column } from '@/shared/table/DataTable';
import { SearchInput } from '@/shared/table/filters';
import { PagedList } from '@/shared/table/PagedList';
import { useListState } from '@/shared/table/useListState';
import { EmptyState, ErrorState, Notice, NoticeList } from '@/shared/ui/blocks';
import { ConfirmDialog } from '@/shared/ui/Dialog';
import { Status } from '@/shared/ui/status';
import { useViewport } from '@/shared/useViewport';
import { accountsQuery, activateNumber, addAccount, numbersQuery, providersQuery, removeAccount, removeNumber, testAccount } from './api';
import { NumberDialog } from './NumberDialog';

/** States of a document source, by their code. */
const STATES = ['Provisioning', 'Activated', 'Pending update', 'Pending deletion', 'Deleted', 'Failed'];
const stateName = (n: FaxSource) => STATES[n.status] ?? 'Provisioning';

const columnsOf = (providerName: (provider: string) => string): Column<FaxSource>[] => [
  { key: 'number', title: 'Number', width: 160, primary: true, numeric: true, sortable: true, render: (n) => n.displayAddress },
  { key: 'name', title: 'Name', full: (n) => n.displayName, render: (n) => n.displayName },
  { key: 'provider', title: 'Provider', width: 180, drop: 1, render: (n) => providerName(n.provider) },
  { key: 'status', title: 'Status', width: 150, render: (n) => <Status state={stateName(n)} /> },
  { key: 'problem', title: 'Problem', drop: 2, full: (n) => n.problem ?? '', render: (n) => n.problem ?? '' },
];

/** The accounts at providers, each with its test. */
function FaxAccounts() {
  const accounts = useQuery(accountsQuery);
  const providers = useQuery(providersQuery);
  const [removing, setRemoving] = useState<FaxAccount | null>(null);
  const [tested, setTested] = useState<{ name: string; problems: string[] } | null>(null);
  const add = useMutation({ mutationFn: addAccount, onSuccess: () => notify('success', 'The fax account was added.') });
  const test = useMutation({
    mutationFn: async (account: FaxAccount) => ({ name: account.name, problems: (await testAccount(account.provider)).problems }),
    onSuccess: setTested,
  });
  const remove = useMutation({
    mutationFn: (account: FaxAccount) => removeAccount(account.provider),
    onSuccess: () => notify('success', 'The fax account was deleted.'),
    onError: (error) => reportError(error),
    onSettled: () => setRemoving(null),
    meta: { ownErrors: true },
  });
  const error = accounts.error ?? providers.error;
  if (error) return <ErrorState title="The fax accounts could not be loaded" error={error} onRetry={() => void accounts.refetch()} />;
  const missing = providers.data?.filter((p) => !p.isConfigured && !p.isForOperators) ?? [];
  return (
    <section className="fax-accounts" aria-label="Accounts">
      {accounts.data?.map((a) => (
        <div key={a.id} className="cp-row">
          <b className="cp-strong">{a.name}</b>
          <span className="cp-muted cp-ell cp-grow">{a.problem ?? a.userName}</span>
          <Button
            variant="default"
            leftSection={<IconPlugConnected size={16} stroke={1.6} />}
            loading={test.isPending && test.variables.id === a.id}
            onClick={() => test.mutate(a)}
          >
            Test
          </Button>
          <Button variant="subtle" onClick={() => setRemoving(a)}>
            Delete account
          </Button>
        </div>
      ))}
      {missing.map((p) => (
        <div key={p.provider} className="cp-row">
          <b className="cp-strong">{p.name}</b>
          <span className="cp-muted cp-grow">no account yet</span>
          <Button variant="default" loading={add.isPending} onClick={() => add.mutate(p.provider)}>
            Add account
          </Button>
        </div>
      ))}
      {accounts.data?.length === 0 && missing.length === 0 && (
        <p className="cp-second">No fax provider is available here. The operator of this installation can set one up.</p>
      )}
      {tested && tested.problems.length === 0 && <Notice kind="info">{tested.name}: the account works.</Notice>}
      {tested && tested.problems.length > 0 && <NoticeList kind="error" title={tested.name} messages={tested.problems} />}
      <ConfirmDialog
        opened={removing !== null}
        onClose={() => setRemoving(null)}
        onConfirm={() => removing && remove.mutate(removing)}
        busy={remove.isPending}
        title="Delete the fax account?"
        subject={removing?.name ?? ''}
        question="Its numbers have to be deleted before."
        confirmLabel="Delete"
        danger
      />
    </section>
  );
}

/** The fax numbers of the organization and the accounts behind them. */
export function NumbersTab() {
  const { isPhone } = useViewport();
  const list = useListState({ size: 25, sort: { by: 'number', dir: 'asc' } });
  const { words, page, size, order, set } = list;
  const query = useQuery(numbersQuery(words || undefined, order.dir, page, size));
  const providers = useQuery(providersQuery);
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
      notify('success', n.status === 4 ? 'The fax number was deleted.' : 'The fax number is deleted once its calls are over.'),
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
        empty={
          <EmptyState icon={IconDeviceLandlinePhone} title="No fax number" text="People send from the numbers that are activated here." />
        }
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
        question="Nobody sends from it any more, and faxes to it are not taken."
        confirmLabel="Delete"
        danger
      />
    </>
  );
}
