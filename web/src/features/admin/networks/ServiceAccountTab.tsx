import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconPlus, IconRobot } from '@tabler/icons-react';
import { useState } from 'react';
import type { Network, ServiceAccount } from '@/api/types';
import { queryClient } from '@/app/session';
import { checkAddresses } from '@/domain/service/addresses';
import { TokenDialog } from '@/domain/service/TokenDialog';
import { Form } from '@/shared/form/Form';
import { TagInput } from '@/shared/form/inputs';
import { changedFields, useConflict } from '@/shared/form/conflict';
import { useServerForm } from '@/shared/form/useServerForm';
import { formatDateTime } from '@/shared/format';
import { notify } from '@/shared/notify';
import { ownName } from '@/shared/owner';
import { EmptyState, ErrorState, Notice, NoticeList } from '@/shared/ui/blocks';
import { type Act, useAsk, useRun } from '@/shared/ui/AskDialog';
import { CopyIcon } from '@/shared/ui/CopyIcon';
import { Chip } from '@/shared/ui/status';
import { deleteAccount, enableAccount, renewToken, saveAddresses, serviceAccountQuery } from './api';
import { Section } from './Section';

/** The service account of the network's systems: its token and its IP addresses. */
export function ServiceAccountTab({ network }: { network: Network }) {
  const { id } = network;
  const query = useQuery(serviceAccountQuery(id));
  const [token, setToken] = useState<string | null>(null);
  const create = useRun({
    run: async () => setToken(await renewToken(id)),
    failed: 'The service account could not be created. Please try again.',
  });
  const state = query.data;
  if (query.error && !state)
    return <ErrorState title="The service account could not be loaded" error={query.error} onRetry={() => void query.refetch()} />;
  if (!state)
    return (
      <div role="status" aria-label="Loading">
        <div className="cp-bone" style={{ width: '40%' }} />
      </div>
    );
  const { account, failed } = state;
  return (
    <>
      {account ? (
        <Account network={network} account={account} onToken={setToken} />
      ) : (
        <EmptyState
          icon={IconRobot}
          title="No service account"
          text={
            failed
              ? 'It is unknown whether there is one. Please try again.'
              : 'A service account lets a system of this network search the directory and read the network.'
          }
        >
          {failed ? (
            <Button variant="default" loading={query.isFetching} onClick={() => void query.refetch()}>
              Try again
            </Button>
          ) : (
            <Button leftSection={<IconPlus size={16} stroke={2} />} loading={create.isPending} onClick={() => create.mutate()}>
              Create service account
            </Button>
          )}
        </EmptyState>
      )}
      {token && <TokenDialog token={token} hasAddresses={Boolean(account?.clientIpAddresses.length)} onClose={() => setToken(null)} />}
    </>
  );
}

const when = (date: string | null | undefined, from: string | null | undefined) =>
  date ? `${formatDateTime(date)}${from ? ` from ${from}` : ''}` : 'Never';

function Account({ network, account, onToken }: { network: Network; account: ServiceAccount; onToken: (token: string) => void }) {
  const [ask, question] = useAsk();
  const [round, setRound] = useState(0);
  const reload = async () => {
    await queryClient.fetchQuery(serviceAccountQuery(network.id));
    setRound((r) => r + 1);
  };
  const isEnabled = account.serviceAccountEnabled;
  const enable = useRun({
    run: () => enableAccount(network.id, true),
    done: 'The service account is enabled.',
    failed: 'The service account could not be enabled. Please try again.',
  });
  const renew: Act = {
    title: 'New Token',
    subject: network.name,
    question: 'The current token stops working at once, and the system is refused until it has the new one. Are you sure?',
    label: 'Create new token',
    danger: true,
    run: async () => onToken(await renewToken(network.id)),
    failed: 'The new token could not be created. Please try again.',
  };
  const disable: Act = {
    title: 'Disable Service Account',
    subject: network.name,
    question: 'The system is refused until you enable the account again. Are you sure?',
    label: 'Disable',
    danger: true,
    run: () => enableAccount(network.id, false),
    done: 'The service account is disabled.',
    failed: 'The service account could not be disabled. Please try again.',
  };
  const remove: Act = {
    title: 'Delete Service Account',
    subject: network.name,
    question: 'Its token stops working at once, and its addresses are deleted. Are you sure?',
    label: 'Delete',
    danger: true,
    run: () => deleteAccount(network.id),
    done: 'The service account was deleted.',
    failed: 'The service account could not be deleted. Please try again.',
  };
  return (
    <>
      <Section title="Account" text="A system sends its token with each call. Its use is recorded in the audit trail.">
        <dl className="net-facts">
          <dt>Status</dt>
          <dd>
            <Chip state={isEnabled ? 'Enabled' : 'Disabled'} />
          </dd>
          <dt>Client ID</dt>
          <dd className="cp-row">
            <span className="cp-mono net-id">{account.clientId}</span>
            <CopyIcon value={account.clientId} name="client ID" />
          </dd>
          <dt>Created</dt>
          <dd>{formatDateTime(account.createDate)}</dd>
          <dt>Token issued</dt>
          <dd>{formatDateTime(account.tokenIssuedDate)}</dd>
          <dt>Last used</dt>
          <dd>{when(account.lastUsedDate, account.lastUsedFrom)}</dd>
          <dt>Last refused</dt>
          <dd>{when(account.lastRefusedDate, account.lastRefusedFrom)}</dd>
        </dl>
        <div className="net-buttons">
          {isEnabled ? (
            <Button variant="default" onClick={() => ask(disable)}>
              Disable
            </Button>
          ) : (
            <Button variant="default" loading={enable.isPending} onClick={() => enable.mutate()}>
              Enable
            </Button>
          )}
          <Button variant="default" onClick={() => ask(renew)}>
            New token
          </Button>
          <Button variant="default" color="red" onClick={() => ask(remove)}>
            Delete
          </Button>
        </div>
      </Section>
      <Addresses key={`${account.id}.${round}`} networkId={network.id} account={account} onReload={() => void reload()} />
      {question}
    </>
  );
}

type AddressesProps = { networkId: string; account: ServiceAccount; onReload: () => void };

function Addresses({ networkId, account, onReload }: AddressesProps) {
  const saved = account.clientIpAddresses;
  const conflict = useConflict({
    saved: account,
    latest: async () => (await queryClient.fetchQuery(serviceAccountQuery(networkId))).account ?? account,
    what: 'list',
    changes: changedFields({ clientIpAddresses: 'Addresses' }),
    button: 'Save addresses',
    onLoad: () => {
      forget();
      onReload();
    },
  });
  const { form, busy, formErrors, onSubmit, forget } = useServerForm({
    initialValues: { clientIpAddresses: saved },
    validate: { clientIpAddresses: checkAddresses },
    keepAs: ownName(`serviceAccount.${networkId}`),
    base: conflict.base,
    submit: async ({ clientIpAddresses }) => {
      const isSaved = await conflict.save((version) => saveAddresses(networkId, clientIpAddresses, version));
      if (isSaved) notify('success', 'The allowed addresses were saved.');
      return isSaved;
    },
  });
  return (
    <Section title="Allowed addresses" text="Addresses from which the token is accepted. Calls from elsewhere are refused and logged.">
      <Form onSubmit={onSubmit} className="net-form">
        {conflict.banner}
        <NoticeList kind="error" messages={formErrors} />
        {saved.length === 0 && <Notice kind="warning">No address is allowed yet, so every call is refused.</Notice>}
        <TagInput
          size="md"
          label="Addresses"
          description="Addresses such as 203.0.113.9, and networks such as 203.0.113.0/24 or 2001:db8::/32."
          {...form.getInputProps('clientIpAddresses')}
        />
        <div>
          <Button type="submit" loading={busy}>
            Save addresses
          </Button>
        </div>
      </Form>
    </Section>
  );
}
