import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconWorld } from '@tabler/icons-react';
import { useState } from 'react';
import { api, unwrap } from '@/api/client';
import { queryOf, refresh } from '@/api/query';
import { queryClient } from '@/app/session';
import { SERVICE_ACCOUNT, SERVICE_ACCOUNT_LIMIT, SERVICE_ACCOUNTS, ServiceAccounts } from '@/domain/service/ServiceAccounts';
import { EditDialog } from '@/shared/crud/EditDialog';
import { Fields, numberField, useFieldForm } from '@/shared/form/fields';
import { Form } from '@/shared/form/Form';
import { Saved } from '@/shared/form/saved';
import { notify } from '@/shared/notify';
import { NoticeList } from '@/shared/ui/blocks';
import { Status } from '@/shared/ui/status';

const INTEGRATIONS = '/api/organizations/{id}/integrations';
const at = (id: string) => ({ params: { path: { id } } });

const countField = (label: string, description: string) => ({ count: numberField(label, { description, required: true }) });
const allowedFields = countField('Allowed Addresses', 'Maximum number of addresses of this account.');
const limitFields = countField('Service account limit', 'Maximum number of service accounts of the organization.');

/** The service accounts of an organization with their limits, and its other integrations. */
export function ServiceAccountsTab({ organizationId }: { organizationId: string }) {
  const [limited, limit] = useState<{ id: string; name: string; count: number } | null>(null);
  return (
    <>
      <Saved query={limitQuery(organizationId)} failed="The limit could not be loaded">
        {({ count }) => <AccountLimit organizationId={organizationId} count={count} />}
      </Saved>
      <section className="adm-panel" aria-labelledby="service-accounts">
        <ServiceAccounts
          organizationId={organizationId}
          heading={<h2 id="service-accounts">Service Accounts</h2>}
          refreshes={[INTEGRATIONS]}
          menu={({ id, name, allowedAddressCount: count }) => [
            { label: 'Allowed Addresses', icon: IconWorld, run: () => limit({ id, name, count }) },
          ]}
        />
      </section>
      <Integrations organizationId={organizationId} />
      {limited && (
        <EditDialog
          noun="limit"
          title="Allowed Addresses"
          subject={limited.name}
          fields={allowedFields}
          saved={limited}
          save={async ({ count }) => {
            const params = { path: { id: organizationId, accountId: limited.id } };
            await unwrap(api.PUT(`${SERVICE_ACCOUNT}/ipaddresses/limit`, { params, body: { count: count ?? 0 } }));
            await refresh(queryClient, SERVICE_ACCOUNTS);
          }}
          done="Address count updated"
          failed="Error updating address count."
          onClose={() => limit(null)}
        />
      )}
    </>
  );
}

const limitQuery = (id: string) => ({
  ...queryOf('get', SERVICE_ACCOUNT_LIMIT, at(id)),
  staleTime: 0,
  refetchOnWindowFocus: false,
});

function AccountLimit({ organizationId, count }: { organizationId: string; count: number }) {
  const { form, busy, formErrors, onSubmit } = useFieldForm({
    fields: limitFields,
    initialValues: { count },
    failed: 'The limit could not be saved. Please try again.',
    submit: async (values) => {
      const saved = await unwrap(api.PUT(SERVICE_ACCOUNT_LIMIT, { ...at(organizationId), body: { count: values.count ?? 0 } }));
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

const KINDS = {
  ServiceAccount: 'Service account',
  FaxAccount: 'Fax service',
  SingleSignOn: 'Single sign-on',
  Webhook: 'Webhook',
  Interface: 'Interface',
} as const;

/** External systems that are connected to the organization. */
function Integrations({ organizationId }: { organizationId: string }) {
  const { data } = useQuery(queryOf('get', INTEGRATIONS, at(organizationId)));
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
