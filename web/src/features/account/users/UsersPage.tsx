import './users.css';
import { Button, Menu, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconPencil, IconShieldCheck, IconUserPlus, IconUsers } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { UserRow } from '@/api/types';
import { formatWhen } from '@/shared/format';
import { now } from '@/shared/clock';
import { paths } from '@/shared/paths';
import { useShortcuts } from '@/shared/shortcuts';
import type { Column } from '@/shared/table/DataTable';
import { CountFilter, SearchInput } from '@/shared/table/filters';
import { PagedList } from '@/shared/table/PagedList';
import { useListState } from '@/shared/table/useListState';
import { AppLink, useGo } from '@/shared/ui/AppLink';
import { EmptyState, Notice } from '@/shared/ui/blocks';
import { PageHead } from '@/shared/ui/PageHead';
import { Status, Who } from '@/shared/ui/status';
import { useViewport } from '@/shared/useViewport';
import { useUserActs } from './actions';
import { usersQuery } from './api';
import { nameOf, placesText } from './rules';
import { ROLES, type RoleName, STATUSES, type UsersSearch, type UserStatus } from './search';

const ALL = 'All';
const dash = <span className="cp-muted">–</span>;
const lastSignIn = (u: UserRow) => (u.lastSignInDate ? formatWhen(u.lastSignInDate, now()) : dash);

const columns: Column<UserRow>[] = [
  {
    key: 'name',
    title: 'Name',
    primary: true,
    sortable: true,
    text: nameOf,
    render: (u) => (
      <span className="cp-cell">
        <Who name={nameOf(u)} />
        <span className="cp-ell">{nameOf(u)}</span>
      </span>
    ),
  },
  { key: 'userName', title: 'Username', sortable: true, text: (u) => u.userName },
  { key: 'roleName', title: 'Role', width: 130, sortable: true, render: (u) => u.roleName },
  {
    key: 'job',
    title: 'Job function',
    width: 190,
    drop: 2,
    text: (u) => u.primaryJobFunction,
    render: (u) => u.primaryJobFunction || dash,
  },
  { key: 'status', title: 'Status', width: 120, render: (u) => <Status state={u.status} /> },
  {
    key: 'second',
    title: 'Second step',
    width: 108,
    drop: 1,
    render: (u) =>
      u.twoFactorEnabled ? (
        <span className="cp-plain t-success">
          <IconShieldCheck size={15} stroke={1.9} aria-hidden />
          Set up
        </span>
      ) : (
        dash
      ),
  },
  { key: 'lastSignIn', title: 'Last sign-in', width: 150, drop: 3, numeric: true, render: lastSignIn },
];

/** The users of the organization. */
export function UsersPage() {
  const go = useGo();
  const { isPhone } = useViewport();
  const list = useListState<UsersSearch>({ sort: { by: 'name', dir: 'asc' } });
  const { search, words, page, size, order, set } = list;
  const query = useQuery(
    usersQuery({
      search: words || undefined,
      roleName: search.role,
      status: search.status,
      page,
      pageSize: size,
      sort: order.by ? JSON.stringify(order) : undefined,
    }),
  );
  const { items, dialog } = useUserActs();
  const isFull = query.data !== undefined && query.data.allowedUsers >= 0 && query.data.numberOfUsers >= query.data.allowedUsers;
  const add = () => go(paths.userAdd);
  useShortcuts([{ keys: 'n', label: 'Add a user', run: add }]);

  const edit = (u: UserRow) => go(paths.user(u.id));
  const addButton = (
    <Button leftSection={<IconUserPlus size={16} stroke={1.8} />} onClick={add}>
      Add User
    </Button>
  );
  const empty = (
    <EmptyState icon={IconUsers} title="No user matches" text="Try another part of the name, or fewer filters.">
      <Button variant="default" onClick={() => set({ search: undefined, status: undefined, role: undefined })}>
        Show all
      </Button>
    </EmptyState>
  );
  const menu = (u: UserRow): ReactNode => (
    <>
      <Menu.Label>{nameOf(u)}</Menu.Label>
      <Menu.Item leftSection={<IconPencil size={16} stroke={1.6} />} onClick={() => edit(u)}>
        Edit
      </Menu.Item>
      {items(u)}
    </>
  );
  return (
    <>
      <PageHead
        title="Users"
        beside={query.data && <span className="cp-muted cp-num">{placesText(query.data.numberOfUsers, query.data.allowedUsers)}</span>}
        actions={addButton}
      />
      <div className="cp-bar usr-bar">
        <SearchInput
          label="Search users"
          placeholder="Search by name or username"
          width={isPhone ? '100%' : 280}
          value={words}
          onChange={list.setSearch}
        />
        <CountFilter
          label="Status"
          fullWidth={isPhone}
          views={[ALL, ...STATUSES].map((s) => ({ value: s, label: s }))}
          value={search.status ?? ALL}
          onChange={(v) => set({ status: v === ALL ? undefined : (v as UserStatus) })}
        />
        <Select
          aria-label="Role"
          w={isPhone ? '100%' : 160}
          placeholder="All roles"
          clearable
          data={[...ROLES]}
          value={search.role ?? null}
          onChange={(v) => set({ role: (v as RoleName | null) ?? undefined })}
        />
      </div>
      {isFull && (
        <div className="usr-notice">
          <Notice kind="info">
            All places of your plan are taken. Disable a user, or <AppLink href={paths.accountPlan}>choose a larger plan</AppLink>, before
            you add another user.
          </Notice>
        </div>
      )}
      <PagedList
        label="Users"
        noun="users"
        query={query}
        list={list}
        columns={columns}
        name={nameOf}
        empty={empty}
        order={order}
        onSort={(by) => set({ sort: by, dir: order.by === by && order.dir === 'asc' ? 'desc' : 'asc' })}
        onOpen={edit}
        href={(u) => paths.user(u.id)}
        badge={(u) => <Status state={u.status} />}
        second={(u) => (
          <>
            <span className="cp-ell cp-grow">{u.userName}</span>
            <span>{u.roleName}</span>
          </>
        )}
        menu={menu}
      />
      {dialog}
    </>
  );
}
