import { IconBuildingHospital, IconUserShield } from '@tabler/icons-react';
import { api } from '@/api/client';
import { queryOf } from '@/api/query';
import type { Network, NetworkOrganization } from '@/api/types';
import { useHasRole } from '@/app/session';
import { CrudSection } from '@/shared/crud/CrudPage';
import { textField } from '@/shared/form/fields';
import { organizationField } from '@/shared/form/OrganizationSelect';
import { Status } from '@/shared/ui/status';
import { HELP } from '@/shared/help';
import { at, RELATED } from './api';

const state = (o: NetworkOrganization) => (o.isActivated ? 'Activated' : 'Not Activated');
const note = (text: string) => <span className="cp-muted">{text}</span>;
const memberAt = <K extends string>(id: string, name: K, member: string) =>
  ({ params: { path: { id, [name]: member } as { id: string } & Record<K, string> } }) as const;

export function OrganizationsTab({ network: { id, name } }: { network: Network }) {
  const mayChange = useHasRole('SysAdmin');
  return (
    <CrudSection
      title="Organizations"
      noun="organization"
      icon={IconBuildingHospital}
      list={({ search, page, size }) =>
        queryOf('get', '/api/admin/networks/{id}/organizations', { params: { path: { id }, query: { search, page, size } } })
      }
      columns={[
        { key: 'name', title: 'Organization', primary: true, text: (o) => o.name },
        { key: 'subDomain', title: 'Subdomain', width: 180, drop: 2, text: (o) => o.subDomain },
        { key: 'place', title: 'Place', width: 200, drop: 1, text: (o) => [o.city, o.state].filter(Boolean).join(', ') },
        { key: 'activation', title: 'Activation', width: 140, render: (o) => <Status state={state(o)} /> },
        { key: 'login', title: 'Login', width: 110, render: (o) => <Status state={o.loginEnabled ? 'Enabled' : 'Disabled'} /> },
      ]}
      search="Search by name"
      fields={{ organizationId: organizationField() }}
      create={
        mayChange
          ? ({ organizationId }) =>
              api.POST('/api/admin/networks/{id}/organizations', { ...at(id), body: { organizationId: organizationId! } })
          : undefined
      }
      remove={mayChange ? (o) => api.DELETE('/api/admin/networks/{id}/organizations/{orgId}', memberAt(id, 'orgId', o.id)) : undefined}
      refreshes={RELATED}
      second={(o) => (
        <>
          <span className="cp-ell cp-grow">{o.subDomain}</span>
          <Status state={state(o)} />
        </>
      )}
      actions={!mayChange && note('The operator adds and removes organizations.')}
      words={{
        create: 'Add organization',
        newTitle: 'Add an Organization',
        createLabel: 'Add',
        created: 'The organization was added to the network.',
        deleteItem: 'Remove from the network',
        deleteTitle: 'Remove Organization',
        deleteQuestion: `It no longer belongs to ${name}. Its users keep working as before. Are you sure?`,
        deleteLabel: 'Remove',
        deleted: 'The organization was removed from the network.',
        notDeleted: 'The organization could not be removed. Please try again.',
        emptyText: 'No organization belongs to this network.',
        noMatchText: 'Try the beginning of the name.',
      }}
    />
  );
}

const adminFields = {
  userName: textField('Username or e-mail address', {
    description: 'A person who already has an account.',
    required: 'Please enter a username or an e-mail address.',
  }),
};

export function AdministratorsTab({ network: { id, name } }: { network: Network }) {
  const mayChange = useHasRole('SysAdmin');
  return (
    <CrudSection
      title="Administrators"
      noun="administrator"
      icon={IconUserShield}
      list={({ search, page, size }) =>
        queryOf('get', '/api/admin/networks/{id}/admins', { params: { path: { id }, query: { search, page, size } } })
      }
      columns={[
        { key: 'userName', title: 'Username', help: HELP.networkAdministrator, primary: true, text: (a) => a.userName },
        { key: 'fullName', title: 'Name', width: 220, text: (a) => a.fullName },
        { key: 'email', title: 'E-mail', width: 260, drop: 1, text: (a) => a.email },
        { key: 'state', title: 'Login', width: 110, render: (a) => <Status state={a.isDisabled ? 'Disabled' : 'Enabled'} /> },
      ]}
      subject={(a) => (a.fullName ? `${a.fullName} (${a.userName})` : a.userName)}
      search="Search by username"
      fields={adminFields}
      create={mayChange ? (body) => api.POST('/api/admin/networks/{id}/admins', { ...at(id), body }) : undefined}
      remove={mayChange ? (a) => api.DELETE('/api/admin/networks/{id}/admins/{adminId}', memberAt(id, 'adminId', a.id)) : undefined}
      refreshes={RELATED}
      second={(a) => (
        <>
          <span className="cp-ell cp-grow">{a.fullName}</span>
          {a.isDisabled && <Status state="Disabled" />}
        </>
      )}
      actions={!mayChange && note('The operator adds and removes administrators.')}
      words={{
        create: 'Add administrator',
        newTitle: 'Add an Administrator',
        createLabel: 'Add',
        created: (added) => `${added.fullName || added.userName} is now an administrator of the network.`,
        deleteItem: 'Remove from the network',
        deleteTitle: 'Remove Administrator',
        deleteQuestion: `This person is signed out, and no longer administers ${name}. Are you sure?`,
        deleteLabel: 'Remove',
        deleted: 'The administrator was removed.',
        notDeleted: 'The administrator could not be removed. Please try again.',
        emptyText: 'Only the operator manages this network.',
        noMatch: 'No administrator matches',
        noMatchText: 'Try the beginning of the username.',
      }}
    />
  );
}
