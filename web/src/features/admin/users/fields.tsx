import { Checkbox, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, quiet, unwrap } from '@/api/client';
import { queryOf } from '@/api/query';
import type { AdminUserRow, UserPreferences } from '@/api/types';
import { IDENTITY_LABEL, IDENTITY_PROOFS, IDENTITY_REQUIRED } from '@/domain/identity/ResetDialog';
import { type ControlProps, checkboxField, choiceField, type Field, passwordField, textField } from '@/shared/form/fields';
import { ListSelect, PhoneInput, UniqueInput } from '@/shared/form/inputs';
import { organizationField } from '@/shared/form/OrganizationSelect';
import { isUsername, USERNAME_TEXTS } from '@/shared/rules/fields';
import { ChoicesFailed } from '@/shared/ui/blocks';

type Bound = { value: string; onChange: (value: string) => void; error?: string };

const isTaken = async (username: string) =>
  (await unwrap(api.POST('/api/users/find', { params: { query: { username } }, ...quiet }))).exists;

/** Asks the server whether it is free, unless it is the account's current one. */
function UserNameInput({ bound, ...props }: ControlProps & { bound: Bound }) {
  const [own] = useState(bound.value);
  const isOwn = (name: string) => Boolean(own) && name.toLowerCase() === own.toLowerCase();
  return (
    <UniqueInput
      autoComplete="off"
      inputMode="email"
      maxLength={255}
      {...props}
      {...bound}
      queryKey="username"
      check={(v) => (isOwn(v) || isUsername(v) ? null : USERNAME_TEXTS.notValid)}
      isTaken={(v) => (isOwn(v) ? Promise.resolve(false) : isTaken(v))}
      takenText={USERNAME_TEXTS.exists}
      freeText={isOwn(bound.value.trim()) ? undefined : USERNAME_TEXTS.available}
    />
  );
}

const userNameField: Field<string> = {
  label: 'Username',
  description: 'An e-mail address',
  initial: '',
  // Saved accounts have a separate e-mail address, and a username that need not be one.
  check: (value, values) => (values.email || isUsername(value) ? null : USERNAME_TEXTS.notValid),
  show: (value) => `“${value}”`,
  control: (props, bound) => <UserNameInput {...props} bound={bound as Bound} />,
};

const phoneField: Field<string> = {
  label: 'Phone',
  initial: '',
  show: (value) => value || 'empty',
  control: (props, bound) => <PhoneInput {...props} {...(bound as Bound)} />,
};

function JobSelect(props: ControlProps & Record<string, unknown>) {
  const jobs = useQuery({ ...queryOf('get', '/api/users/jobs'), staleTime: Number.POSITIVE_INFINITY });
  return (
    <>
      <ChoicesFailed of={[jobs]} />
      <ListSelect {...props} data={(jobs.data?.items ?? []).map((job) => ({ value: job.id, label: job.name }))} />
    </>
  );
}

export const jobField = (options: Pick<Field<string | null>, 'when'> = {}): Field<string | null> => ({
  ...options,
  label: 'Primary job function',
  required: 'Primary job function is required.',
  initial: null,
  show: (value) => value ?? 'none',
  control: (props, bound) => <JobSelect {...props} {...bound} />,
});

export const ORGANIZATION_ROLES = [
  { value: 'User', label: 'User' },
  { value: 'Administrator', label: 'Administrator' },
] as const;

const PREFERENCES = [
  ['emailNewMessages', 'New messages'],
  ['emailUnprocessedMessages', 'Unprocessed messages'],
  ['emailSystemNotifications', 'System notifications'],
  ['emailUnassignedMessages', 'Unassigned messages'],
  ['emailFailedMessagesDigest', 'Failed messages, as a digest'],
  ['emailFiledByRule', 'Documents filed by rules'],
] as const satisfies readonly (readonly [keyof UserPreferences, string])[];

function Preferences({ label, value, onChange }: { label: string; value: UserPreferences; onChange: (value: UserPreferences) => void }) {
  const chosen = PREFERENCES.filter(([name]) => value[name]).map(([name]) => name);
  const choose = (names: string[]) =>
    onChange({ ...value, ...Object.fromEntries(PREFERENCES.map(([name]) => [name, names.includes(name)])) });
  return (
    <Checkbox.Group label={label} value={chosen} onChange={choose}>
      <div className="usr-checks">
        {PREFERENCES.map(([name, text]) => (
          <Checkbox key={name} value={name} label={text} />
        ))}
      </div>
    </Checkbox.Group>
  );
}

const preferencesField: Field<UserPreferences | null> = {
  label: 'E-mail notifications',
  initial: null,
  when: (values, isNew) => !isNew && values.roleType === 'organization' && values.userPreferences,
  show: (value) =>
    value
      ? PREFERENCES.filter(([name]) => value[name])
          .map(([, text]) => text)
          .join(', ')
      : 'nothing',
  control: (props, bound) => <Preferences {...(bound as { value: UserPreferences; onChange: () => void })} label={props.label} />,
};

/** The protection of the account, read-only. */
const tokensField: Field<boolean> = {
  label: 'Sign-in',
  initial: false,
  when: (_, isNew) => !isNew,
  show: (value) => (value ? 'yes' : 'no'),
  control: (_, bound) => (
    <p className="cp-second">
      {(bound as { value: boolean }).value
        ? 'Signs in with an authenticator app or a passkey.'
        : 'Has no authenticator app and no passkey.'}
    </p>
  ),
};
const unclaimedField: Field<boolean> = {
  ...tokensField,
  label: 'Links',
  control: (_, bound) => (
    <p className="cp-second">
      {(bound as { value: boolean }).value ? 'An invitation or reset link has been sent but not used.' : 'No unused link.'}
    </p>
  ),
};

/** Shown instead of the proofing status for people who administer no organization. */
export const NOT_REQUIRED = 'Not required';
const PROOF = 'ID proofing status';
const mayNeedProof = (values: Record<string, unknown>) => values.roleType === 'organization' && Boolean(values.roleName);
const needsProof = (values: Record<string, unknown>) => mayNeedProof(values) && values.roleName === 'Administrator';
const noProofField: Field<null> = {
  label: PROOF,
  initial: null,
  when: (values) => mayNeedProof(values) && !needsProof(values),
  show: () => NOT_REQUIRED,
  control: ({ size, label }) => (
    <TextInput {...{ size, label }} readOnly value={NOT_REQUIRED} description="Only administrators represent an organization." />
  ),
};

const ofOrganization = (values: Record<string, unknown>, isNew: boolean) => isNew && values.roleType === 'organization';
const typesPassword = (values: Record<string, unknown>, isNew: boolean) => ofOrganization(values, isNew) && !values.emailCreatePassword;

type Before = Pick<AdminUserRow, 'userName' | 'email' | 'twoFactorEnabled'>;
const beforeOf = (values: Record<string, unknown>) => values.before as Before | null;

/** The account as read: some changes require more input. */
const beforeField: Field<Before | null> = { label: '', initial: null, when: () => false, show: () => '', control: () => null };
const changesAddress = (values: Record<string, unknown>, isNew: boolean) => {
  const before = beforeOf(values);
  return !isNew && before !== null && (values.userName !== before.userName || values.email !== before.email);
};
const removesFactors = (values: Record<string, unknown>, isNew: boolean) =>
  !isNew && Boolean(beforeOf(values)?.twoFactorEnabled) && !values.twoFactorEnabled;

/** The form of a new or existing account; its fields depend on the type. */
export const userFields = {
  before: beforeField,
  roleType: choiceField(
    'Type',
    [
      { value: 'organization', label: 'User of an organization' },
      { value: 'system', label: 'Operator of this installation' },
    ],
    { required: 'Type is required.', when: (_, isNew) => isNew },
  ),
  userName: userNameField,
  email: textField('E-mail', { when: (_, isNew) => !isNew, required: true, description: 'Links and codes go there.' }),
  firstName: textField('First name', { half: true }),
  lastName: textField('Last name', { half: true }),
  phoneNumber: { ...phoneField, when: (values, isNew) => !isNew || values.roleType === 'organization' } as Field<string>,
  organizationId: organizationField('Organization', { when: ofOrganization }),
  roleName: choiceField('Role', ORGANIZATION_ROLES, { required: 'Role is required.', when: ofOrganization }),
  systemRole: choiceField(
    'Role',
    [
      { value: 'SysAdmin', label: 'System administrator' },
      { value: 'SysAdminReporting', label: 'Reporting only' },
    ],
    { required: 'Role is required.', when: (values) => values.roleType === 'system' },
  ),
  jobFunctionId: jobField({ when: ofOrganization }),
  idProofStatus: choiceField(
    PROOF,
    [
      { value: 'Passed', label: 'Passed: I know this person' },
      { value: 'UnderReview', label: 'Under review: a photo ID is waiting', retired: true },
      { value: 'NotPassed', label: 'Not passed: the person must submit a photo ID' },
    ],
    { required: 'ID proofing status is required.', description: 'An administrator represents the organization.', when: needsProof },
  ),
  noProof: noProofField,
  emailCreatePassword: checkboxField('Send an e-mail to create the account’s password', { initial: true, when: ofOrganization }),
  password: passwordField('Password', { required: 'Please enter a password, or send an e-mail to choose one.', when: typesPassword }),
  confirmation: passwordField('Confirm password', {
    required: 'Please enter the password again.',
    check: (value, values) => (value === values.password ? null : 'The passwords do not match.'),
    when: typesPassword,
  }),
  twoFactorEnabled: checkboxField('Two-factor sign-in', {
    description: 'Can only be switched off here: app, passkeys and recovery codes are removed, and the person is signed out.',
    when: (_, isNew) => !isNew,
  }),
  identityProof: choiceField(IDENTITY_LABEL, IDENTITY_PROOFS, { required: IDENTITY_REQUIRED, when: removesFactors }),
  lockoutEnabled: checkboxField('Locked out after wrong passwords', {
    description: 'Clear this to let the person try again at once.',
    when: (_, isNew) => !isNew,
  }),
  ownPassword: passwordField('Your password', {
    required: 'Please enter your password.',
    description: 'Changing the sign-in address needs your password. The old address gets an e-mail about it.',
    when: changesAddress,
  }),
  tokenAuthEnabled: tokensField,
  hasUnclaimedSecurityTokens: unclaimedField,
  userPreferences: preferencesField,
};
