import './users.css';
import { ActionIcon, Button, Menu, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconDots, IconPencil, IconShieldCheck, IconUserPlus, IconUsers } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { UserRow } from '@/api/types';
import { formatWhen } from '@/shared/format';
import { now } from '@/shared/clock';
import { paths } from '@/shared/paths';
import { useShortcuts } from '@/shared/shortcuts';
import { type Column, DataTable } from '@/shared/table/DataTable';
import { CountFilter, SearchInput } from '@/shared/table/filters';
import { ListFooter } from '@/shared/table/ListFooter';
import { useListState } from '@/shared/table/useListState';
import { AppLink, useGo } from '@/shared/ui/AppLink';
import { EmptyState, ErrorState, Notice } from '@/shared/ui/blocks';
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
    full: nameOf,
    render: (u) => (
      <span className="cp-cell">
        <Who name={nameOf(u)} />
        <span className="cp-ell">{nameOf(u)}</span>
      </span>
    ),
  },
  { key: 'userName', title: 'Username', sortable: true, full: (u) => u.userName, render: (u) => u.userName },
  { key: 'roleName', title: 'Role', width: 130, sortable: true, render: (u) => u.roleName },
  {
    key: 'job',
    title: 'Job function',
    width: 190,
    drop: 2,
    full: (u) => u.primaryJobFunction,
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

/** The people of the organization. */
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

  const rows = query.data?.items;
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
            All places of your plan are taken. Disable somebody, or <AppLink href={paths.accountPlan}>choose a larger plan</AppLink>, before
            you add another user.
          </Notice>
        </div>
      )}
      {isPhone ? (
        <Cards rows={rows} error={query.error} onRetry={() => void query.refetch()} empty={empty} menu={menu} />
      ) : (
        <DataTable
          label="Users"
          columns={columns}
          rows={rows}
          rowId={(u) => u.id}
          rowName={nameOf}
          error={query.error}
          errorTitle="The users could not be loaded"
          onRetry={() => void query.refetch()}
          empty={empty}
          order={order}
          onSort={(by) => set({ sort: by, dir: order.by === by && order.dir === 'asc' ? 'desc' : 'asc' })}
          onOpen={edit}
          rowMenu={menu}
          stale={query.isPlaceholderData}
        />
      )}
      {query.data && rows && rows.length > 0 && (
        <ListFooter
          page={page}
          size={size}
          count={rows.length}
          total={query.data.totalCount}
          capped={query.data.totalIsCapped}
          onPage={list.setPage}
          onSize={list.setSize}
          noun="users"
        />
      )}
      {dialog}
    </>
  );
}

type CardsProps = {
  rows: UserRow[] | undefined;
  error: Error | null;
  onRetry: () => void;
  empty: ReactNode;
  menu: (row: UserRow) => ReactNode;
};

/** The list on a phone. */
function Cards({ rows, error, onRetry, empty, menu }: CardsProps) {
  if (error && !rows) return <ErrorState title="The users could not be loaded" error={error} onRetry={onRetry} />;
  if (rows?.length === 0) return empty;
  return (
    <ul className="cp-scroll usr-cards" aria-label="Users" aria-busy={!rows}>
      {rows?.map((u) => (
        <li key={u.id} className="usr-cardrow">
          <AppLink href={paths.user(u.id)} className="usr-card">
            <span className="cp-row">
              <span className="cp-ell cp-grow cp-strong">{nameOf(u)}</span>
              <Status state={u.status} />
            </span>
            <span className="cp-row cp-second">
              <span className="cp-ell cp-grow">{u.userName}</span>
              <span>{u.roleName}</span>
            </span>
          </AppLink>
          <Menu>
            <Menu.Target>
              <ActionIcon size={44} aria-label={`Actions for ${nameOf(u)}`}>
                <IconDots size={20} stroke={1.6} />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>{menu(u)}</Menu.Dropdown>
          </Menu>
        </li>
      ))}
      {!rows &&
        Array.from({ length: 6 }, (_, i) => (
          <li key={String(i)} className="usr-card" aria-hidden>
            <div className="cp-bone" style={{ width: '60%' }} />
            <div className="cp-bone" style={{ width: '40%' }} />
          </li>
        ))}
    </ul>
  );
}
