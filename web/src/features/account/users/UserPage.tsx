import './users.css';
import { Button, Checkbox, Select, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type RefObject, useRef } from 'react';
import type { User } from '@/api/types';
import { PERMISSIONS } from '@/api/permissions.gen';
import { queryClient, useProfile } from '@/app/session';
import { Form } from '@/shared/form/Form';
import { ListSelect, PhoneInput, UniqueInput } from '@/shared/form/inputs';
import { useConflict } from '@/shared/form/conflict';
import { Saved } from '@/shared/form/saved';
import { useServerForm } from '@/shared/form/useServerForm';
import { formatDateTime } from '@/shared/format';
import { notify } from '@/shared/notify';
import { ownName } from '@/shared/owner';
import { paths } from '@/shared/paths';
import { USERNAME_TEXTS } from '@/shared/rules/fields';
import { useGo } from '@/shared/ui/AppLink';
import { BackHead } from '@/shared/ui/BackHead';
import { NoticeList } from '@/shared/ui/blocks';
import { LeaveGuard } from '@/shared/ui/LeaveGuard';
import { Chip } from '@/shared/ui/status';
import { useViewport } from '@/shared/useViewport';
import { Applications } from '../Applications';
import { Section } from '../Section';
import { Activity } from './Activity';
import { useUserActs } from './actions';
import { isUserNameTaken, jobsQuery, saveUser, userQuery } from './api';
import { inputOf, KEPT_JOB, nameOf, type UserValues, userChecks, valuesOf } from './rules';
import { ROLES } from './search';
import { Rules } from './Rules';
import { Requests, Signatures } from './Signing';
import { Sources } from './Sources';

const OF_THE_PERSON = 'Only this person can change this, in their own profile.';

export function AddUserPage() {
  return <Editor saved={null} onReload={() => {}} />;
}

/** Loads the user first. */
export function UserPage({ id }: { id: string }) {
  return (
    <Saved key={id} query={userQuery(id)} failed="The user could not be loaded">
      {(saved, reload) => <Editor saved={saved} onReload={reload} />}
    </Saved>
  );
}

function Editor({ saved, onReload }: { saved: User | null; onReload: () => void }) {
  const go = useGo();
  const { isPhone } = useViewport();
  const conflict = useConflict<User>({
    saved,
    latest: () => queryClient.fetchQuery({ ...userQuery(saved!.id), staleTime: 0 }),
    what: 'user',
    button: 'Save Changes',
    onLoad: () => {
      forget();
      onReload();
    },
  });
  const settledRef = useRef(false);
  const sourcesDirtyRef = useRef(false);
  const leave = () => go(paths.users());

  const { form, busy, formErrors, onSubmit, forget } = useServerForm<UserValues>({
    initialValues: valuesOf(saved),
    validate: userChecks,
    keepAs: ownName(`user.${saved?.id ?? 'new'}`),
    base: conflict.base,
    submit: async (values) => {
      let answer: User | undefined;
      const isSaved = await conflict.save(async (version) => {
        answer = await saveUser(saved?.id, inputOf(values, version));
        return answer;
      });
      if (!isSaved) return false;
      notify('success', saved ? 'User successfully updated.' : 'The user was saved successfully.');
      if (saved || !answer) return;
      settledRef.current = true;
      forget();
      go(paths.user(answer.id), { replace: true });
    },
  });

  const title = saved ? nameOf(saved) : 'Add User';
  const buttons = (
    <>
      <Button variant="default" onClick={leave}>
        Cancel
      </Button>
      <Button type="submit" form="user" loading={busy}>
        {saved ? 'Save Changes' : 'Send Invitation'}
      </Button>
    </>
  );
  return (
    <>
      <BackHead
        title={title}
        back={{ label: 'Back to Users', run: leave }}
        beside={saved && <Chip state={saved.status} />}
        actions={!isPhone && buttons}
      />
      <div className="cp-scroll acc-body">
        {conflict.banner}
        <NoticeList kind="error" messages={formErrors} />
        <Form id="user" onSubmit={onSubmit}>
          <Fields form={form} saved={saved} />
        </Form>
        {saved && <Rest saved={saved} sourcesDirtyRef={sourcesDirtyRef} />}
      </div>
      {isPhone && (
        <div className="cp-foot">
          <div className="cp-grow" />
          {buttons}
        </div>
      )}
      <LeaveGuard isDirty={() => !settledRef.current && (form.isDirty() || sourcesDirtyRef.current)} subject={title} onLeave={forget} />
    </>
  );
}

type FormOf = ReturnType<typeof useServerForm<UserValues>>['form'];

function Fields({ form, saved }: { form: FormOf; saved: User | null }) {
  const { userId } = useProfile();
  const jobs = useQuery(jobsQuery).data ?? [];
  const isFixed = saved !== null && !saved.canChangePerson;
  const isOneself = saved?.id === userId;
  const kept = saved && !saved.jobFunctionId ? [{ value: KEPT_JOB, label: saved.primaryJobFunction || 'Not stated' }] : [];
  const common = (field: keyof UserValues) => ({
    size: 'md' as const,
    required: true,
    autoComplete: 'off',
    inputWrapperOrder: ['label', 'input', 'description', 'error'] as ('label' | 'input' | 'description' | 'error')[],
    ...form.getInputProps(field),
  });
  const name = (field: 'firstName' | 'lastName', label: string) => (
    <TextInput {...common(field)} label={label} maxLength={255} readOnly={isFixed} description={isFixed ? OF_THE_PERSON : undefined} />
  );
  const isOwnName = saved !== null && form.values.userName.trim().toLowerCase() === saved.userName.toLowerCase();
  return (
    <>
      <Section title="Person" text="The person. The username is the e-mail address for the invitation.">
        <div className="acc-form">
          {saved && !saved.canChangeUserName ? (
            <TextInput {...common('userName')} label="Username" required={false} readOnly />
          ) : (
            <UniqueInput
              {...common('userName')}
              label="Username"
              description={saved ? 'A change sends the invitation to the new address.' : 'An e-mail address'}
              inputMode="email"
              maxLength={255}
              queryKey="username"
              check={(v) => userChecks.userName(v)}
              isTaken={(v) => (saved && v.toLowerCase() === saved.userName.toLowerCase() ? Promise.resolve(false) : isUserNameTaken(v))}
              takenText={USERNAME_TEXTS.exists}
              freeText={isOwnName ? undefined : USERNAME_TEXTS.available}
              value={form.values.userName}
              onChange={(v) => form.setFieldValue('userName', v)}
            />
          )}
          <div className="acc-pair">
            {name('firstName', 'First name')}
            {name('lastName', 'Last name')}
          </div>
          <PhoneInput
            {...common('phoneNumber')}
            label="Phone"
            required={false}
            readOnly={isFixed}
            onChange={(v) => form.setFieldValue('phoneNumber', v)}
          />
        </div>
      </Section>
      <Section title="Access" text="Administrators manage users, settings and the plan. Another role takes effect with the next sign-in.">
        <div className="acc-form">
          <Select
            {...common('roleName')}
            label="Role"
            allowDeselect={false}
            disabled={isOneself}
            description={isOneself ? 'Another administrator can change your role.' : undefined}
            data={[...ROLES]}
          />
          <ListSelect
            {...common('jobFunctionId')}
            label="Primary job function"
            clearable={false}
            data={[...kept, ...jobs.map((job) => ({ value: job.id, label: job.name }))]}
            value={form.values.jobFunctionId || null}
            onChange={(v) => form.setFieldValue('jobFunctionId', v ?? '')}
          />
          {PERMISSIONS.map(({ name, label, hint }) => (
            <Checkbox {...form.getInputProps(`permissions.${name}`, { type: 'checkbox' })} key={name} label={label} description={hint} />
          ))}
        </div>
      </Section>
    </>
  );
}

/** The rest of an account, besides the form. */
function Rest({ saved, sourcesDirtyRef }: { saved: User; sourcesDirtyRef: RefObject<boolean> }) {
  const go = useGo();
  const { acts, ask, dialog } = useUserActs({ onRemoved: () => go(paths.users(), { replace: true }) });
  const facts: [string, string][] = [
    ['Second step', saved.twoFactorEnabled ? 'Set up' : 'Not set up'],
    ['Last sign-in', saved.lastSignInDate ? formatDateTime(saved.lastSignInDate) : 'Never'],
    ['Created', formatDateTime(saved.createDate)],
    ...(saved.disabledDateTime ? [['Disabled', formatDateTime(saved.disabledDateTime)] as [string, string]] : []),
    ...(saved.isLocked ? [['Locked', 'For some minutes, after wrong passwords'] as [string, string]] : []),
  ];
  const possible = acts(saved);
  return (
    <>
      <Section title="Sends on behalf of" text="Addresses and fax numbers from which this person may send.">
        <Sources userId={saved.id} dirtyRef={sourcesDirtyRef} />
      </Section>
      <Section title="Intake rules" text="Rules that assign arriving messages to this person.">
        <Rules userId={saved.id} />
      </Section>
      <Section title="Sign-in" text="How this person signs in.">
        <dl className="cp-kv cp-num usr-facts">
          {facts.map(([name, value]) => (
            <div key={name} className="usr-fact">
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
        {possible.length > 0 && (
          <div className="acc-buttons">
            {possible.map((act) => (
              <Button
                key={act.kind}
                variant="default"
                leftSection={<act.icon size={16} stroke={1.6} />}
                onClick={() => ask({ act, user: saved })}
              >
                {act.label}
              </Button>
            ))}
          </div>
        )}
      </Section>
      <Section title="Applications" text="Applications that this person signs in with, such as the provider of your organization.">
        <Applications userId={saved.id} />
      </Section>
      <Section title="Signatures" text="The documents that this person signed, newest first.">
        <Signatures userId={saved.id} />
      </Section>
      <Section title="Requests" text="The signatures that this person requested from colleagues, newest first.">
        <Requests userId={saved.id} />
      </Section>
      <Section title="Activity" text="The activity of this person in your organization, newest first.">
        <Activity userId={saved.id} />
      </Section>
      {dialog}
    </>
  );
}
