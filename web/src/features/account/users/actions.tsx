import { Menu } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { IconKey, IconLock, IconLockOpen2, IconMailForward, IconShieldOff, IconUserMinus } from '@tabler/icons-react';
import { useState } from 'react';
import { ApiError } from '@/api/client';
import type { UserRow } from '@/api/types';
import { useProfile } from '@/app/session';
import { type IdentityProof, ResetDialog } from '@/domain/identity/ResetDialog';
import { reportFailure } from '@/shared/errors';
import { notify } from '@/shared/notify';
import { ConfirmDialog } from '@/shared/ui/Dialog';
import type { Icon } from '@/shared/ui/states';
import { removeUser, resendInvitation, resetAuthenticators, resetPassword, setEnabled } from './api';
import { nameOf } from './rules';

/** The server's reason says more than a general failure message. */
export const reportUserFailure = (error: unknown, text: string) =>
  reportFailure(error, text, { serverFirst: error instanceof ApiError && [409, 422].includes(error.status) });

type Kind = 'remove' | 'disable' | 'enable' | 'invite' | 'password';
type Act = {
  kind: Kind;
  label: string;
  icon: Icon;
  title: string;
  question: string;
  confirm: string;
  danger?: boolean;
  done: string;
  failed: string;
  run: (user: UserRow) => Promise<unknown>;
};

/** Actions that need more than a confirmation. */
const RESET = { kind: 'authenticators', label: 'Reset Second Step', icon: IconShieldOff, danger: true } as const;

const ACTS: Record<Kind, Act> = {
  invite: {
    kind: 'invite',
    label: 'Resend Invitation',
    icon: IconMailForward,
    title: 'Resend Invitation',
    question: 'The person gets an e-mail with a new link. Earlier links stop working.',
    confirm: 'Send',
    done: 'Invitation sent',
    failed: 'Failed to resend invitation',
    run: (user) => resendInvitation(user.id, user.userName),
  },
  password: {
    kind: 'password',
    label: 'Reset Password',
    icon: IconKey,
    title: 'Reset Password',
    question: 'The person gets an e-mail with a link to choose a new password. The current password works until then.',
    confirm: 'Send',
    done: 'Password reset request sent',
    failed: 'Failed to send password reset',
    run: (user) => resetPassword(user.id),
  },
  remove: {
    kind: 'remove',
    label: 'Remove',
    icon: IconUserMinus,
    title: 'Remove User',
    question:
      'This person is signed out at once and leaves your organization. The account is deleted if it belongs to no other organization. Past activity is kept. Are you sure?',
    confirm: 'Remove',
    danger: true,
    done: 'User has been removed.',
    failed: 'There was an error removing user',
    run: (user) => removeUser(user.id),
  },
  disable: {
    kind: 'disable',
    label: 'Disable',
    icon: IconLock,
    title: 'Disable User',
    question: 'This person is signed out at once and can no longer work in your organization, until you enable them again. Are you sure?',
    confirm: 'Disable',
    danger: true,
    done: 'User has been disable.',
    failed: 'There was an error disabling user',
    run: (user) => setEnabled(user.id, false),
  },
  enable: {
    kind: 'enable',
    label: 'Enable',
    icon: IconLockOpen2,
    title: 'Enable User',
    question: 'This person can sign in and work in your organization again. Are you sure?',
    confirm: 'Enable',
    done: 'User has been enabled.',
    failed: 'There was an error enabling user',
    run: (user) => setEnabled(user.id, true),
  },
};

type AnyAct = Act | typeof RESET;

/** The actions available for a user. Nobody can reset or disable themselves here. */
function actsFor(user: UserRow, ownId: string): AnyAct[] {
  if (user.id === ownId) return [];
  if (user.isDisabled) return [ACTS.enable, ACTS.remove];
  if (user.status === 'Invited') return [ACTS.invite, ACTS.disable, ACTS.remove];
  const ending = [ACTS.disable, ACTS.remove];
  return user.twoFactorEnabled ? [ACTS.password, RESET, ...ending] : [ACTS.password, ...ending];
}

type Question = { act: AnyAct; user: UserRow };

/** The actions of a row as menu items, each with its confirmation. */
export function useUserActs({ onRemoved }: { onRemoved?: () => void } = {}) {
  const { userId } = useProfile();
  const [question, ask] = useState<Question | null>(null);
  const items = (user: UserRow) =>
    actsFor(user, userId).map((act) => (
      <Menu.Item
        key={act.kind}
        data-danger={act.danger || undefined}
        leftSection={<act.icon size={16} stroke={1.6} />}
        onClick={() => ask({ act, user })}
      >
        {act.label}
      </Menu.Item>
    ));
  const close = () => ask(null);
  const dialog = question && <AnyDialog question={question} onClose={close} onRemoved={onRemoved} />;
  return { items, acts: (user: UserRow) => actsFor(user, userId), ask, dialog };
}

type DialogProps = { onClose: () => void; onRemoved?: () => void };

function AnyDialog({ question: { act, user }, ...rest }: DialogProps & { question: Question }) {
  if (act.kind !== 'authenticators') return <ActDialog act={act} user={user} {...rest} />;
  const run = (proof: IdentityProof) => resetAuthenticators(user.id, proof);
  return <ResetDialog title={act.label} label="Reset" subject={subjectOf(user)} run={run} onClose={rest.onClose} />;
}

const subjectOf = (user: UserRow) => `${nameOf(user)} (${user.userName})`;

function ActDialog({ act, user, onClose, onRemoved }: DialogProps & { act: Act; user: UserRow }) {
  const run = useMutation({
    mutationFn: () => act.run(user),
    onSuccess: () => {
      onClose();
      notify('success', act.done);
      if (act.kind === 'remove') onRemoved?.();
    },
    onError: (error) => {
      onClose();
      reportUserFailure(error, act.failed);
    },
    meta: { ownErrors: true },
  });
  return (
    <ConfirmDialog
      opened
      onClose={onClose}
      onConfirm={() => run.mutate()}
      title={act.title}
      subject={subjectOf(user)}
      question={act.question}
      confirmLabel={act.confirm}
      danger={act.danger}
      busy={run.isPending}
    />
  );
}
