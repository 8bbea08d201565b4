import './accounts.css';
import { Button, Menu } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { IconCopy, IconPencil, IconPlugConnected, IconRefresh, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import type { FaxAccount, FaxProvider } from '@/api/types';
import { copyText } from '@/shared/copy';
import { reportError } from '@/shared/errors';
import { notify } from '@/shared/notify';
import { ErrorState, Notice, NoticeList } from '@/shared/ui/blocks';
import { ConfirmDialog } from '@/shared/ui/Dialog';
import { MoreMenu } from '@/shared/ui/MoreMenu';
import { AccountDialog } from './AccountDialog';
import { accountsQuery, type OfOrganization, providersQuery, removeAccount, saveAccount, syncAccount, testAccount } from './api';

/** A provider's response. */
type Answer = { name: string; good: string; problems: string[] };

const takenOver = (numbers: number) =>
  numbers === 0 ? 'all numbers are already here.' : numbers === 1 ? 'one number was added.' : `${numbers} numbers were added.`;

/** The accounts at providers, each with a test. Operators also manage modems. */
export function FaxAccounts({ organizationId }: OfOrganization) {
  const of = { organizationId };
  const accounts = useQuery(accountsQuery(of));
  const providers = useQuery(providersQuery(of));
  const [editing, setEditing] = useState<FaxProvider | null>(null);
  const [removing, setRemoving] = useState<FaxAccount | null>(null);
  const [answer, setAnswer] = useState<Answer | null>(null);
  const add = useMutation({
    mutationFn: (provider: FaxProvider) => saveAccount(provider.provider, of, {}),
    onSuccess: () => notify('success', 'The fax account was added.'),
  });
  const test = useMutation({
    mutationFn: async ({ name, provider }: FaxAccount) => {
      const { problems } = await testAccount(provider, of);
      return { name, good: 'the account works.', problems };
    },
    onSuccess: setAnswer,
  });
  const sync = useMutation({
    mutationFn: async ({ name }: FaxAccount) => {
      const { added, problems } = await syncAccount(of);
      return { name, good: takenOver(added.length), problems };
    },
    onSuccess: setAnswer,
  });
  const remove = useMutation({
    mutationFn: (account: FaxAccount) => removeAccount(account.provider, of),
    onSuccess: () => notify('success', 'The fax account was deleted.'),
    onError: (error) => reportError(error),
    onSettled: () => setRemoving(null),
    meta: { ownErrors: true },
  });
  const error = accounts.error ?? providers.error;
  if (error) return <ErrorState title="The fax accounts could not be loaded" error={error} onRetry={() => void accounts.refetch()} />;
  const providerOf = (account: FaxAccount) => providers.data?.find((p) => p.provider === account.provider);
  const isManaged = (provider: FaxProvider | undefined) =>
    provider !== undefined && (organizationId !== undefined || !provider.isForOperators);
  const missing = providers.data?.filter((p) => !p.isConfigured && isManaged(p)) ?? [];
  const menu = (a: FaxAccount) => (
    <>
      <Menu.Label>{a.name}</Menu.Label>
      {a.provider !== 'embedded' && (
        <Menu.Item leftSection={<IconPencil size={16} stroke={1.6} />} onClick={() => setEditing(providerOf(a) ?? null)}>
          Edit
        </Menu.Item>
      )}
      {a.provider === 'westfax' && (
        <Menu.Item leftSection={<IconRefresh size={16} stroke={1.6} />} onClick={() => sync.mutate(a)}>
          Import numbers
        </Menu.Item>
      )}
      {a.groupName && (
        <Menu.Item
          leftSection={<IconCopy size={16} stroke={1.6} />}
          onClick={() => void copyText(a.groupName, 'Group Name copied to your clipboard.')}
        >
          Copy group name
        </Menu.Item>
      )}
      <Menu.Item data-danger leftSection={<IconTrash size={16} stroke={1.6} />} onClick={() => setRemoving(a)}>
        Delete account
      </Menu.Item>
    </>
  );
  return (
    <section className="fax-accounts" aria-label="Accounts">
      {accounts.data?.map((a) => (
        <div key={a.id} className="cp-row">
          <b className="cp-strong">{a.name}</b>
          <span className="cp-muted cp-ell cp-grow">{a.problem ?? a.userName}</span>
          <Button
            variant="default"
            leftSection={<IconPlugConnected size={16} stroke={1.6} />}
            loading={(test.isPending && test.variables.id === a.id) || (sync.isPending && sync.variables.id === a.id)}
            onClick={() => test.mutate(a)}
          >
            Test
          </Button>
          {isManaged(providerOf(a)) && <MoreMenu label={`More for ${a.name}`}>{menu(a)}</MoreMenu>}
        </div>
      ))}
      {missing.map((p) => (
        <div key={p.provider} className="cp-row">
          <b className="cp-strong">{p.name}</b>
          <span className="cp-muted cp-grow">no account yet</span>
          <Button
            variant="default"
            aria-label={`Add account ${p.name}`}
            loading={add.isPending && add.variables.provider === p.provider}
            onClick={() => (p.provider === 'embedded' ? add.mutate(p) : setEditing(p))}
          >
            Add account
          </Button>
        </div>
      ))}
      {accounts.data?.length === 0 && missing.length === 0 && (
        <p className="cp-second">No fax provider is available here. The operator of this installation can set one up.</p>
      )}
      {answer && answer.problems.length === 0 && (
        <Notice kind="info">
          {answer.name}: {answer.good}
        </Notice>
      )}
      {answer && answer.problems.length > 0 && <NoticeList kind="error" title={answer.name} messages={answer.problems} />}
      {editing && (
        <AccountDialog
          organizationId={organizationId}
          provider={editing}
          account={accounts.data?.find((a) => a.provider === editing.provider) ?? null}
          onClose={() => setEditing(null)}
        />
      )}
      <ConfirmDialog
        opened={removing !== null}
        onClose={() => setRemoving(null)}
        onConfirm={() => removing && remove.mutate(removing)}
        busy={remove.isPending}
        title="Delete the fax account?"
        subject={removing?.name ?? ''}
        question="Delete its numbers first."
        confirmLabel="Delete"
        danger
      />
    </section>
  );
}
