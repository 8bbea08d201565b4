import { Button, Menu } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconBuildingHospital, IconPlus, IconUserShield, IconX } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import type { Network, NetworkAdmin, NetworkOrganization } from '@/api/types';
import { useHasRole } from '@/app/session';
import type { Column } from '@/shared/table/DataTable';
import { SearchInput } from '@/shared/table/filters';
import { useListState } from '@/shared/table/useListState';
import { EmptyState } from '@/shared/ui/blocks';
import { Status } from '@/shared/ui/status';
import { useViewport } from '@/shared/useViewport';
import { networkAdminsQuery, networkOrganizationsQuery, removeAdmin, removeOrganization } from './api';
import { AddAdminDialog, AddOrganizationDialog, AskDialog } from './dialogs';
import { PagedList } from '@/shared/table/PagedList';

type BarProps = { label: string; placeholder: string; words: string; onSearch: (text: string) => void; add: ReactNode; note: string };
/** Search at the left; who may add members has the button at the right, others are told who may. */
function Bar({ label, placeholder, words, onSearch, add, note }: BarProps) {
  const { isPhone } = useViewport();
  return (
    <div className="cp-bar adm-bar net-bar">
      <SearchInput label={label} placeholder={placeholder} width={isPhone ? '100%' : 280} value={words} onChange={onSearch} />
      <div className="cp-grow" />
      {add ?? <span className="cp-muted">{note}</span>}
    </div>
  );
}

const Add = ({ children, onClick }: { children: ReactNode; onClick: () => void }) => (
  <Button leftSection={<IconPlus size={16} stroke={2} />} onClick={onClick}>
    {children}
  </Button>
);
const RemoveItem = ({ name, onClick }: { name: string; onClick: () => void }) => (
  <>
    <Menu.Label>{name}</Menu.Label>
    <Menu.Item data-danger leftSection={<IconX size={16} stroke={1.6} />} onClick={onClick}>
      Remove from the network
    </Menu.Item>
  </>
);

const state = (o: NetworkOrganization) => (o.isActivated ? 'Activated' : 'Not Activated');
const place = (o: NetworkOrganization) => [o.city, o.state].filter(Boolean).join(', ');
const organizationColumns: Column<NetworkOrganization>[] = [
  { key: 'name', title: 'Organization', primary: true, text: (o) => o.name },
  { key: 'subDomain', title: 'Subdomain', width: 180, drop: 2, text: (o) => o.subDomain },
  { key: 'place', title: 'Place', width: 200, drop: 1, text: place },
  { key: 'activation', title: 'Activation', width: 140, render: (o) => <Status state={state(o)} /> },
  { key: 'login', title: 'Login', width: 110, render: (o) => <Status state={o.loginEnabled ? 'Enabled' : 'Disabled'} /> },
];

export function OrganizationsTab({ network }: { network: Network }) {
  const mayChange = useHasRole('SysAdmin');
  const list = useListState();
  const { words, page, size } = list;
  const query = useQuery(networkOrganizationsQuery(network.id, { search: words || undefined, page, size }));
  const [adds, setAdds] = useState(false);
  const [leaving, setLeaving] = useState<NetworkOrganization | null>(null);
  const add = mayChange ? <Add onClick={() => setAdds(true)}>Add organization</Add> : null;
  return (
    <>
      <Bar
        label="Search organizations"
        placeholder="Search by name"
        words={words}
        onSearch={list.setSearch}
        add={add}
        note="The operator adds and removes organizations."
      />
      <PagedList
        label="Organizations"
        noun="organizations"
        query={query}
        list={list}
        columns={organizationColumns}
        name={(o) => o.name}
        second={(o) => (
          <>
            <span className="cp-ell cp-grow">{o.subDomain}</span>
            <Status state={state(o)} />
          </>
        )}
        empty={
          words ? (
            <EmptyState icon={IconBuildingHospital} title="No organization matches" text="Try how the name begins.">
              <Button variant="default" onClick={() => list.set({ search: undefined })}>
                Show all
              </Button>
            </EmptyState>
          ) : (
            <EmptyState icon={IconBuildingHospital} title="No organizations yet" text="No organization belongs to this network." />
          )
        }
        menu={mayChange ? (o) => <RemoveItem name={o.name} onClick={() => setLeaving(o)} /> : undefined}
      />
      {adds && <AddOrganizationDialog networkId={network.id} onClose={() => setAdds(false)} />}
      {leaving && (
        <AskDialog
          title="Remove Organization"
          subject={leaving.name}
          question={`It no longer belongs to ${network.name}. Its people go on working as before. Are you sure?`}
          label="Remove"
          danger
          run={() => removeOrganization(network.id, leaving.id)}
          done="The organization was removed from the network."
          failed="The organization could not be removed. Please try again."
          onClose={() => setLeaving(null)}
        />
      )}
    </>
  );
}

const adminColumns: Column<NetworkAdmin>[] = [
  { key: 'userName', title: 'Username', primary: true, text: (a) => a.userName },
  { key: 'fullName', title: 'Name', width: 220, text: (a) => a.fullName },
  { key: 'email', title: 'E-mail', width: 260, drop: 1, text: (a) => a.email },
  { key: 'state', title: 'Login', width: 110, render: (a) => <Status state={a.isDisabled ? 'Disabled' : 'Enabled'} /> },
];

export function AdministratorsTab({ network }: { network: Network }) {
  const mayChange = useHasRole('SysAdmin');
  const list = useListState();
  const { words, page, size } = list;
  const query = useQuery(networkAdminsQuery(network.id, { search: words || undefined, page, size }));
  const [adds, setAdds] = useState(false);
  const [leaving, setLeaving] = useState<NetworkAdmin | null>(null);
  const add = mayChange ? <Add onClick={() => setAdds(true)}>Add administrator</Add> : null;
  return (
    <>
      <Bar
        label="Search administrators"
        placeholder="Search by username"
        words={words}
        onSearch={list.setSearch}
        add={add}
        note="The operator adds and removes administrators."
      />
      <PagedList
        label="Administrators"
        noun="administrators"
        query={query}
        list={list}
        columns={adminColumns}
        name={(a) => a.userName}
        second={(a) => (
          <>
            <span className="cp-ell cp-grow">{a.fullName}</span>
            {a.isDisabled && <Status state="Disabled" />}
          </>
        )}
        empty={
          words ? (
            <EmptyState icon={IconUserShield} title="Nobody matches" text="Try how the username begins.">
              <Button variant="default" onClick={() => list.set({ search: undefined })}>
                Show all
              </Button>
            </EmptyState>
          ) : (
            <EmptyState icon={IconUserShield} title="No administrators yet" text="Nobody but the operator manages this network." />
          )
        }
        menu={mayChange ? (a) => <RemoveItem name={a.userName} onClick={() => setLeaving(a)} /> : undefined}
      />
      {adds && <AddAdminDialog networkId={network.id} onClose={() => setAdds(false)} />}
      {leaving && (
        <AskDialog
          title="Remove Administrator"
          subject={leaving.fullName ? `${leaving.fullName} (${leaving.userName})` : leaving.userName}
          question={`This person is signed out, and no longer administers ${network.name}. Are you sure?`}
          label="Remove"
          danger
          run={() => removeAdmin(network.id, leaving.id)}
          done="The administrator was removed."
          failed="The administrator could not be removed. Please try again."
          onClose={() => setLeaving(null)}
        />
      )}
    </>
  );
}
