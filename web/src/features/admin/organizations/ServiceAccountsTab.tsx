import '../networks/networks.css';
import { Button } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { IconKey, IconRobot, IconWorld } from '@tabler/icons-react';
import { useState } from 'react';
import { api, unwrap } from '@/api/client';
import { ServiceAccountForm } from '@/api/limits.gen';
import { $api, refresh } from '@/api/query';
import type { ServiceAccount } from '@/api/types';
import { queryClient } from '@/app/session';
import { CrudSection, type ListRequest } from '@/shared/crud/CrudPage';
import { EditDialog } from '@/shared/crud/EditDialog';
import { checkboxField, Fields, numberField, tagsField, textField, useFieldForm } from '@/shared/form/fields';
import { Form } from '@/shared/form/Form';
import { Saved } from '@/shared/form/saved';
import { formatDateTime } from '@/shared/format';
import { notify } from '@/shared/notify';
import { NoticeList } from '@/shared/ui/blocks';
import { Status } from '@/shared/ui/status';
import { checkAddresses } from '../networks/rules';
import { TokenDialog } from '../networks/TokenDialog';

const ACCOUNTS = '/api/organizations/{id}/serviceaccount';
const ACCOUNT = '/api/organizations/{id}/serviceaccounts/{accountId}';
const INTEGRATIONS = '/api/organizations/{id}/integrations';
const at = (id: string) => ({ params: { path: { id } } });

const isOld = (_: object, isNew: boolean) => !isNew;
const fields = {
  name: textField('Name', { description: 'The system that signs in with it, such as “Interface engine”.' }),
  clientIpAddresses: tagsField('Client IP Addresses', {
    description: 'Addresses such as 203.0.113.9, and networks such as 203.0.113.0/24. Calls from elsewhere are refused.',
    when: isOld,
    check: checkAddresses,
  }),
  serviceAccountEnabled: checkboxField('Enabled', { when: isOld }),
};
const countField = (label: string, description: string) => ({ count: numberField(label, { description, required: true }) });
const allowedFields = countField('Allowed Addresses', 'How many addresses may be entered for this account.');
const limitFields = countField('Service account limit', 'How many service accounts the organization may have.');

/** The server returns all accounts of an organization, which are few. */
const accountsQuery = (id: string, { offset, size }: ListRequest) =>
  queryOptions({
    queryKey: ['get', ACCOUNTS, id, offset, size],
    queryFn: async () => {
      const { items } = await unwrap(api.GET(ACCOUNTS, at(id)));
      return { items: items.slice(offset, offset + size), totalCount: items.length, totalIsCapped: false };
    },
    retry: false,
  });

const addresses = (account: ServiceAccount) => `${account.clientIpAddresses.length} of ${account.allowedAddressCount}`;
const lastUsed = ({ lastUsedDate, lastUsedFrom }: ServiceAccount) =>
  lastUsedDate ? `${formatDateTime(lastUsedDate)}${lastUsedFrom ? ` from ${lastUsedFrom}` : ''}` : 'Never';
const stateOf = (account: ServiceAccount) => (account.serviceAccountEnabled ? 'Enabled' : 'Disabled');

/** The systems of an organization that call the API with a token, and what else is connected to it. */
export function ServiceAccountsTab({ organizationId }: { organizationId: string }) {
  const [issued, setIssued] = useState<{ token: string; hasAddresses: boolean } | null>(null);
  const [limited, limit] = useState<ServiceAccount | null>(null);
  const allowance = limited && { id: limited.id, count: limited.allowedAddressCount };
  const path = (accountId: string) => ({ params: { path: { id: organizationId, accountId } } });
  const renew = async (account: ServiceAccount) => {
    const { token } = await unwrap(api.POST(`${ACCOUNT}/token`, path(account.id)));
    setIssued({ token, hasAddresses: account.clientIpAddresses.length > 0 });
  };
  return (
    <>
      <Saved query={limitQuery(organizationId)} failed="The limit could not be loaded">
        {({ count }) => <AccountLimit organizationId={organizationId} count={count} />}
      </Saved>
      <section className="adm-panel" aria-labelledby="service-accounts">
        <CrudSection
          heading={<h2 id="service-accounts">Service Accounts</h2>}
          title="Service accounts"
          noun="service account"
          icon={IconRobot}
          list={(request) => accountsQuery(organizationId, request)}
          columns={[
            { key: 'name', title: 'Name', primary: true, text: (a) => a.name },
            { key: 'clientId', title: 'Client ID', width: 280, drop: 1, text: (a) => a.clientId },
            { key: 'state', title: 'Service Account', width: 150, text: stateOf, render: (a) => <Status state={stateOf(a)} /> },
            { key: 'addresses', title: 'IP Addresses', width: 130, text: addresses },
            { key: 'used', title: 'Last used', width: 260, drop: 2, text: lastUsed },
          ]}
          fields={fields}
          limits={ServiceAccountForm}
          create={async ({ name }) => {
            const answer = await api.POST('/api/organizations/{id}/serviceaccounts', { ...at(organizationId), body: { name } });
            if (answer.data) setIssued({ token: answer.data.token, hasAddresses: false });
            return answer;
          }}
          save={(id, values, version) => api.PUT(ACCOUNT, { ...path(id), body: { ...values, version } })}
          remove={(account) => api.DELETE(ACCOUNT, path(account.id))}
          refreshes={[INTEGRATIONS]}
          menu={(account) => [
            { label: 'Allowed Addresses', icon: IconWorld, run: () => limit(account) },
            {
              label: 'New token',
              icon: IconKey,
              ask: {
                title: 'New Token',
                subject: account.name,
                question: 'The present token ends at once: the system is refused until it has the new one. Are you sure?',
                label: 'Make a new token',
                danger: true,
                run: () => renew(account),
                failed: 'No new token could be made. Please try again.',
              },
            },
          ]}
          badge={(a) => !a.serviceAccountEnabled && <Status state="Disabled" />}
          second={(a) => <span className="cp-ell">{`${addresses(a)} addresses · last used: ${lastUsed(a)}`}</span>}
          words={{
            deleteQuestion: 'Its token ends at once, and its addresses are forgotten. Are you sure?',
            emptyText: 'With a service account a system searches the directory and fetches what came in, without a person.',
          }}
        />
      </section>
      <Integrations organizationId={organizationId} />
      {limited && allowance && (
        <EditDialog
          noun="limit"
          title="Allowed Addresses"
          subject={limited.name}
          fields={allowedFields}
          saved={allowance}
          save={async ({ count }) => {
            await unwrap(api.PUT(`${ACCOUNT}/ipaddresses/limit`, { ...path(limited.id), body: { count: count ?? 0 } }));
            await refresh(queryClient, ACCOUNTS);
          }}
          done="Address count updated"
          failed="Error updating address count."
          onClose={() => limit(null)}
        />
      )}
      {issued && <TokenDialog {...issued} onClose={() => setIssued(null)} />}
    </>
  );
}

const limitQuery = (id: string) => ({
  ...$api.queryOptions('get', `${ACCOUNTS}/limit`, at(id)),
  staleTime: 0,
  refetchOnWindowFocus: false,
});

function AccountLimit({ organizationId, count }: { organizationId: string; count: number }) {
  const { form, busy, formErrors, onSubmit } = useFieldForm({
    fields: limitFields,
    initialValues: { count },
    failed: 'The limit could not be saved. Please try again.',
    submit: async (values) => {
      const saved = await unwrap(api.PUT(`${ACCOUNTS}/limit`, { ...at(organizationId), body: { count: values.count ?? 0 } }));
      form.setInitialValues(saved);
      form.setValues(saved);
      notify('success', 'The service account limit was saved successfully.');
    },
  });
  return (
    <Form onSubmit={onSubmit} className="adm-oids">
      <NoticeList kind="error" messages={formErrors} />
      <div className="adm-form">
        <Fields of={limitFields} form={form} />
        <div>
          <Button type="submit" loading={busy} disabled={!form.isDirty()}>
            Save limit
          </Button>
        </div>
      </div>
    </Form>
  );
}

const KINDS = { ServiceAccount: 'Service account', FaxAccount: 'Fax service', SingleSignOn: 'Single sign-on' } as const;

/** Systems outside that are connected to the organization. */
function Integrations({ organizationId }: { organizationId: string }) {
  const { data } = useQuery($api.queryOptions('get', INTEGRATIONS, at(organizationId)));
  if (!data?.items.length) return null;
  return (
    <section className="adm-oids" aria-labelledby="integrations">
      <h2 id="integrations">Integrations</h2>
      <dl className="cp-kv adm-origin">
        {data.items.map((item) => (
          <div key={item.id} className="adm-fact">
            <dt>{KINDS[item.kind]}</dt>
            <dd>
              {item.name} <Status state={item.isEnabled ? 'Enabled' : 'Disabled'} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
