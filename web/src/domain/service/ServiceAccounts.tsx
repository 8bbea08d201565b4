import { IconKey, IconRobot } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { api, unwrap } from '@/api/client';
import { type ApiPath, queryOf, reshaped } from '@/api/query';
import { ServiceAccountForm } from '@/api/limits.gen';
import type { ServiceAccount } from '@/api/types';
import { CrudPage, CrudSection, type ListRequest, type RowAction } from '@/shared/crud/CrudPage';
import { checkboxField, tagsField, textField } from '@/shared/form/fields';
import { formatDateTime } from '@/shared/format';
import { Status } from '@/shared/ui/status';
import { checkAddresses } from './addresses';
import { TokenDialog } from './TokenDialog';

export const SERVICE_ACCOUNTS = '/api/organizations/{id}/serviceaccount';
export const SERVICE_ACCOUNT = '/api/organizations/{id}/serviceaccounts/{accountId}';
export const SERVICE_ACCOUNT_LIMIT = '/api/organizations/{id}/serviceaccount/limit';

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

/** The server returns all accounts of an organization, which are few. */
const accountsQuery = (id: string, { offset, size }: ListRequest) => {
  const page = ({ items }: { items: ServiceAccount[] }) => ({
    items: items.slice(offset, offset + size),
    totalCount: items.length,
    totalIsCapped: false,
  });
  return { ...reshaped(queryOf('get', SERVICE_ACCOUNTS, { params: { path: { id } } }), page, offset, size), retry: false };
};

const addresses = (account: ServiceAccount) => `${account.clientIpAddresses.length} of ${account.allowedAddressCount}`;
const lastUsed = ({ lastUsedDate, lastUsedFrom }: ServiceAccount) =>
  lastUsedDate ? `${formatDateTime(lastUsedDate)}${lastUsedFrom ? ` from ${lastUsedFrom}` : ''}` : 'Never';
const stateOf = (account: ServiceAccount) => (account.serviceAccountEnabled ? 'Enabled' : 'Disabled');

type Props = {
  organizationId: string;
  /** The heading of a section; without one it is a page of its own. */
  heading?: ReactNode;
  /** Paths that show the accounts. */
  refreshes?: readonly ApiPath[];
  /** Further actions on an account. */
  menu?: (account: ServiceAccount) => RowAction[];
};

/** The systems of an organization that call the API with a token. */
export function ServiceAccounts({ organizationId, heading, refreshes, menu = () => [] }: Props) {
  const [issued, setIssued] = useState<{ token: string; hasAddresses: boolean } | null>(null);
  const at = { params: { path: { id: organizationId } } };
  const of = (accountId: string) => ({ params: { path: { id: organizationId, accountId } } });
  const renew = async (account: ServiceAccount) => {
    const { token } = await unwrap(api.POST(`${SERVICE_ACCOUNT}/token`, of(account.id)));
    setIssued({ token, hasAddresses: account.clientIpAddresses.length > 0 });
  };
  const List = heading ? CrudSection : CrudPage;
  return (
    <>
      <List
        heading={heading}
        title="Service accounts"
        noun="service account"
        icon={IconRobot}
        list={(request: ListRequest) => accountsQuery(organizationId, request)}
        columns={[
          { key: 'name', title: 'Name', primary: true, text: (a: ServiceAccount) => a.name },
          { key: 'clientId', title: 'Client ID', width: 280, drop: 1, text: (a: ServiceAccount) => a.clientId },
          {
            key: 'state',
            title: 'Service Account',
            width: 150,
            text: stateOf,
            render: (a: ServiceAccount) => <Status state={stateOf(a)} />,
          },
          { key: 'addresses', title: 'IP Addresses', width: 130, text: addresses },
          { key: 'used', title: 'Last used', width: 260, drop: 2, text: lastUsed },
        ]}
        fields={fields}
        limits={ServiceAccountForm}
        create={async ({ name }) => {
          const answer = await api.POST('/api/organizations/{id}/serviceaccounts', { ...at, body: { name } });
          if (answer.data) setIssued({ token: answer.data.token, hasAddresses: false });
          return answer;
        }}
        save={(id, values, version) => api.PUT(SERVICE_ACCOUNT, { ...of(id), body: { ...values, version } })}
        remove={(account: ServiceAccount) => api.DELETE(SERVICE_ACCOUNT, of(account.id))}
        refreshes={refreshes}
        menu={(account: ServiceAccount) => [
          ...menu(account),
          {
            label: 'New token',
            icon: IconKey,
            ask: {
              title: 'New Token',
              subject: account.name,
              question: 'The current token stops working at once, and the system is refused until it has the new one. Are you sure?',
              label: 'Create new token',
              danger: true,
              run: () => renew(account),
              failed: 'The new token could not be created. Please try again.',
            },
          },
        ]}
        badge={(a: ServiceAccount) => !a.serviceAccountEnabled && <Status state="Disabled" />}
        second={(a: ServiceAccount) => <span className="cp-ell">{`${addresses(a)} addresses · last used: ${lastUsed(a)}`}</span>}
        words={{
          deleteQuestion: 'Its token stops working at once, and its addresses are deleted. Are you sure?',
          emptyText: 'A service account lets a system search the directory and fetch received messages.',
        }}
      />
      {issued && <TokenDialog {...issued} onClose={() => setIssued(null)} />}
    </>
  );
}
