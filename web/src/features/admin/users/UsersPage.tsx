import './users.css';
import { Tooltip } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import {
  IconAffiliate,
  IconBuilding,
  IconDevices,
  IconId,
  IconKey,
  IconLock,
  IconLockOpen2,
  IconMailForward,
  IconRefresh,
  IconShieldHalfFilled,
  IconShieldOff,
  IconUserShield,
  IconUsers,
} from '@tabler/icons-react';
import { useState } from 'react';
import { api } from '@/api/client';
import { AdminUserDetails, AdminUserUpdate } from '@/api/limits.gen';
import { queryOf, reshaped } from '@/api/query';
import type { AdminUserRow } from '@/api/types';
import { useProfile } from '@/app/session';
import { ResetDialog } from '@/domain/identity/ResetDialog';
import { CrudPage, type RowAction } from '@/shared/crud/CrudPage';
import { reportFailure } from '@/shared/errors';
import { valuesOf } from '@/shared/form/fields';
import { notify } from '@/shared/notify';
import { digitsOnly } from '@/shared/rules/fields';
import { Chip, Status } from '@/shared/ui/status';
import type { Icon } from '@/shared/ui/states';
import { HELP } from '@/shared/help';
import { AccountOrganizations } from './AccountOrganizations';
import { AccountProofing } from './AccountProofing';
import { AccountSessions } from './AccountSessions';
import { at, disableTwoFactor, nameOf, subjectOf } from './api';
import { NOT_REQUIRED, userFields } from './fields';

const SEARCH_DELAY_MS = 300;

const PROOF = {
  Passed: { state: 'Verified', text: 'Passed' },
  UnderReview: { state: 'Pending', text: 'Under review' },
  NotPassed: { state: 'Inactive', text: 'Not passed' },
} as const;

const ADMIN_ICONS: { of: (user: AdminUserRow) => boolean; icon: Icon; label: string }[] = [
  { of: (u) => u.isOrgAdmin, icon: IconUserShield, label: 'Organization administrator' },
  { of: (u) => u.isNetworkAdmin, icon: IconAffiliate, label: 'Network administrator' },
  { of: (u) => u.isSysAdmin, icon: IconShieldHalfFilled, label: 'System administrator' },
];

const AdminIcons = ({ user }: { user: AdminUserRow }) => (
  <span className="cp-row usr-icons">
    {ADMIN_ICONS.filter((icon) => icon.of(user)).map(({ icon: IconOf, label }) => (
      <Tooltip key={label} label={label}>
        <IconOf size={17} stroke={1.7} role="img" aria-label={label} />
      </Tooltip>
    ))}
  </span>
);

const Proof = ({ user: { idProofStatus, roleType } }: { user: AdminUserRow }) =>
  idProofStatus ? (
    <Status state={PROOF[idProofStatus].state}>{PROOF[idProofStatus].text}</Status>
  ) : (
    <span className="cp-muted">{roleType === 'organization' ? NOT_REQUIRED : '–'}</span>
  );

const stateOf = (user: AdminUserRow) => (user.deletedDateTime ? 'Deleted' : user.status === 'Active' ? 'Enabled' : user.status);
const organizationsOf = (user: AdminUserRow) =>
  user.roleType === 'system'
    ? user.roleName === 'SysAdmin'
      ? 'System administrator'
      : 'Reporting only'
    : user.organizations.map((place) => place.name).join(', ');

type Opened = { kind: 'organizations' | 'proofing' | 'sessions' | 'reset'; user: AdminUserRow };

/** The users of all organizations, and the operators. */
export function UsersPage() {
  const { userId } = useProfile();
  const [opened, open] = useState<Opened | null>(null);
  const sync = useMutation({
    mutationFn: (id: string) => api.POST('/api/admin/users/{id}/sync', at(id)),
    meta: { ownErrors: true },
    onSuccess: () => notify('success', 'User Intercom Sync has been initialized.'),
    onError: (error) => reportFailure(error, 'There was an error trying to sync User with Intercom.', { serverFirst: true }),
  });
  // Only where a token of the service is set.
  const canSync = useQuery(queryOf('get', '/api/configuration')).data?.customerMessagingEnabled ?? false;
  const close = () => open(null);

  const menu = (user: AdminUserRow): RowAction[] => {
    if (user.deletedDateTime) return [];
    const isSystem = user.roleType === 'system';
    const isOneself = user.id === userId;
    const subject = subjectOf(user);
    const acts: (RowAction | false)[] = [
      !isSystem && { label: 'Organizations', icon: IconBuilding, run: () => open({ kind: 'organizations', user }) },
      !isSystem && { label: 'ID Proofing', icon: IconId, run: () => open({ kind: 'proofing', user }) },
      { label: 'Sessions', icon: IconDevices, run: () => open({ kind: 'sessions', user }) },
      !isSystem &&
        user.status === 'Active' && {
          label: 'Reset Password',
          icon: IconKey,
          ask: {
            title: 'Reset Password',
            subject,
            question: 'The person gets an e-mail with a link to choose a new password. The current password works until then.',
            label: 'Send',
            run: () => api.POST('/api/users/resetpassword', { body: { id: user.id } }),
            done: 'Password reset request sent',
            failed: 'Failed to send password reset',
          },
        },
      user.status === 'Invited' && {
        label: 'Resend Invitation',
        icon: IconMailForward,
        ask: {
          title: 'Resend Invitation',
          subject,
          question: 'The person gets an e-mail with a new link. Earlier links stop working.',
          label: 'Send',
          run: () => api.POST('/api/users/resendinvitation', { body: { id: user.id, userName: user.userName } }),
          done: 'Invitation sent',
          failed: 'Failed to resend invitation',
        },
      },
      user.twoFactorEnabled &&
        !isOneself && {
          label: 'Disable Two-Factor',
          icon: IconShieldOff,
          run: () => open({ kind: 'reset', user }),
        },
      !isSystem && canSync && { label: 'Sync with Intercom', icon: IconRefresh, run: () => sync.mutate(user.id) },
      !isOneself && enableAct(user),
    ];
    return acts.filter((act) => act !== false);
  };

  return (
    <>
      <CrudPage
        title="Users"
        noun="user"
        icon={IconUsers}
        list={({ search, page, size, sort, flag }) =>
          reshaped(
            queryOf('get', '/api/admin/users', {
              params: {
                query: {
                  search,
                  pageNumber: page,
                  pageSize: size,
                  sort: sort.by ? JSON.stringify(sort) : undefined,
                  deleted: flag('deleted'),
                  sysAdmin: flag('sysAdmin'),
                },
              },
            }),
            (found) => ({ items: found.users, totalCount: found.totalUsersCount, totalIsCapped: found.totalIsCapped }),
          )
        }
        columns={[
          { key: 'userName', title: 'Username', primary: true, sortable: true, text: (u) => u.userName },
          { key: 'name', title: 'Name', width: 180, drop: 2, text: nameOf },
          { key: 'organizations', title: 'Organizations', width: 240, drop: 1, text: organizationsOf },
          {
            key: 'proof',
            title: 'ID proof',
            width: 140,
            render: (u) => <Proof user={u} />,
          },
          { key: 'enabled', title: 'Enabled', width: 120, render: (u) => <Status state={stateOf(u)} /> },
          { key: 'admin', title: 'Administers', help: HELP.networkAdministrator, width: 126, render: (u) => <AdminIcons user={u} /> },
        ]}
        name={(u) => u.userName}
        subject={subjectOf}
        sort={{ by: 'userName', dir: 'asc' }}
        search="Search by username or name"
        searchDelay={SEARCH_DELAY_MS}
        filters={[
          { name: 'sysAdmin', label: 'Operators only' },
          { name: 'deleted', label: 'Show deleted' },
        ]}
        fields={userFields}
        limits={{ ...AdminUserDetails, ...AdminUserUpdate }}
        isSecret
        read={(id) => reshaped(queryOf('get', '/api/admin/users/{id}', at(id)), (user) => ({ ...user, before: user }))}
        create={createUser}
        save={(id, values, version, read) => api.PUT('/api/admin/users/{id}', { ...at(id), body: savedUser(values, version, read) })}
        remove={(user) => api.DELETE('/api/admin/users/{id}', at(user.id))}
        menu={menu}
        isFixed={(u) => Boolean(u.deletedDateTime)}
        isMuted={(u) => u.isDisabled}
        badge={(u) => (u.deletedDateTime ? <Chip state="Deleted" /> : <Status state={stateOf(u)} />)}
        second={(u) => (
          <>
            <span className="cp-ell cp-grow">{[nameOf(u), organizationsOf(u)].filter(Boolean).join(' · ')}</span>
            <AdminIcons user={u} />
          </>
        )}
        words={{
          created: 'The user was saved successfully.',
          saved: 'User successfully updated.',
          notSaved: 'There was an error creating user',
          deleteQuestion: 'The account leaves all organizations, and its username can be used again. Are you sure?',
        }}
      />
      {opened?.kind === 'organizations' && <AccountOrganizations user={opened.user} onClose={close} />}
      {opened?.kind === 'proofing' && <AccountProofing user={opened.user} onClose={close} />}
      {opened?.kind === 'sessions' && <AccountSessions user={opened.user} onClose={close} />}
      {opened?.kind === 'reset' && (
        <ResetDialog
          title="Disable Two-Factor"
          label="Disable"
          subject={subjectOf(opened.user)}
          run={(proof) => disableTwoFactor(opened.user.id, proof)}
          onClose={close}
        />
      )}
    </>
  );
}

function enableAct(user: AdminUserRow): RowAction {
  const enable = user.isDisabled;
  const word = enable ? 'Enable' : 'Disable';
  return {
    label: word,
    icon: enable ? IconLockOpen2 : IconLock,
    danger: !enable,
    ask: {
      title: `${word} User`,
      subject: subjectOf(user),
      question: enable
        ? 'This person can sign in again. Are you sure?'
        : 'This person is signed out at once and can no longer sign in anywhere, until you enable them again. Are you sure?',
      label: word,
      danger: !enable,
      run: () =>
        user.roleType === 'system'
          ? api.PUT('/api/admin/sysadmin/{id}', { ...at(user.id), body: { enable } })
          : api.POST('/api/admin/users/enable', { body: { id: user.id, enable } }),
      done: enable ? 'User has been enabled.' : 'User has been disable.',
      failed: enable ? 'There was an error enabling user' : 'There was an error disabling user',
    },
  };
}

type NewUser = { [K in keyof typeof userFields]: (typeof userFields)[K]['initial'] };

/** Fields sent only if changed: others may have been set by somebody else since they were read. */
const OPTIONAL = ['systemRole', 'userPreferences', 'twoFactorEnabled', 'lockoutEnabled', 'idProofStatus', 'identityProof'] as const;

function savedUser(values: NewUser, version: number | undefined, read: object | undefined) {
  const { userName, email, firstName, lastName, phoneNumber } = values;
  const before = valuesOf(userFields, read ?? {});
  const changed = OPTIONAL.filter((name) => JSON.stringify(values[name]) !== JSON.stringify(before[name]));
  return {
    userName,
    email,
    firstName,
    lastName,
    phoneNumber: digitsOnly(phoneNumber),
    version,
    ...(values.ownPassword ? { ownPassword: values.ownPassword } : {}),
    ...Object.fromEntries(changed.map((name) => [name, values[name]])),
  };
}

/** An operator has only a name and a role; the password is chosen by e-mail. */
function createUser(values: NewUser): Promise<{ data?: unknown }> {
  const { userName, firstName, lastName } = values;
  if (values.roleType === 'system')
    return api.POST('/api/admin/sysadmin', { body: { userName, firstName, lastName, role: values.systemRole! } });
  const isAdministrator = values.roleName === 'Administrator';
  return api.POST('/api/admin/users', {
    body: {
      userDetails: {
        userName,
        firstName,
        lastName,
        phoneNumber: digitsOnly(values.phoneNumber),
        roleName: values.roleName,
        jobFunctionId: values.jobFunctionId,
        idProofStatus: isAdministrator ? values.idProofStatus : undefined,
      },
      organizationId: values.organizationId,
      password: values.emailCreatePassword ? '' : values.password,
      emailCreatePassword: values.emailCreatePassword,
    },
  });
}
