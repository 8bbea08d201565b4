import { Button, Switch, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { hasRole } from '@/app/access';
import { expireSession, queryClient, useProfile } from '@/app/session';
import type { OwnProfile, OwnSession, SecondFactor, UserPreferences } from '@/api/types';
import { formatDateTime, formatPhone, plural } from '@/shared/format';
import { Form } from '@/shared/form/Form';
import { PasswordField, PhoneInput } from '@/shared/form/inputs';
import { changedFields, useConflict } from '@/shared/form/conflict';
import { useServerForm } from '@/shared/form/useServerForm';
import { notify } from '@/shared/notify';
import { tooLong } from '@/shared/rules/fields';
import { ErrorState, Notice, NoticeList } from '@/shared/ui/blocks';
import { LeaveGuard } from '@/shared/ui/LeaveGuard';
import { PageHead } from '@/shared/ui/PageHead';
import { Chip } from '@/shared/ui/status';
import { useChoice } from '@/shared/useChoice';
import { passkeysSupported } from '@/shared/webauthn';
import { Applications } from '../Applications';
import { Section } from '../Section';
import {
  addPasskey,
  changePassword,
  endSession,
  endSessions,
  ownProfileQuery,
  preferencesQuery,
  removeAuthenticator,
  removePasskey,
  renamePasskey,
  renewRecoveryCodes,
  saveOwnProfile,
  savePreferences,
  secondFactorQuery,
  sessionsQuery,
  setEmailCodes,
} from './api';
import { browserName } from './browsers';
import { AuthenticatorDialog, CodesDialog, EndDialog, type Ending, PasswordDialog, type Question } from './dialogs';

export function ProfilePage() {
  return (
    <>
      <PageHead title="Profile" />
      <div className="cp-scroll acc-body">
        <Person />
        <Password />
        <SecondStep />
        <SignInApplications />
        <Notifications />
        <Sessions />
      </div>
    </>
  );
}

type Asked<T> = { data: T | undefined; error: Error | null; refetch: () => unknown };

/** Placeholder while loading or after a failure. */
function Waiting<T>({ query, of }: { query: Asked<T>; of: string }) {
  if (query.error) return <ErrorState title={`${of} could not be loaded`} error={query.error} onRetry={() => void query.refetch()} />;
  return (
    <div role="status" aria-label="Loading">
      <div className="cp-bone" style={{ width: '40%' }} />
    </div>
  );
}

/** Operators belong to no organization, so they have no provider. */
function SignInApplications() {
  const { organizationId, userId } = useProfile();
  if (!organizationId) return null;
  return (
    <Section title="Applications" text="Applications that you sign in with, such as the provider of your organization.">
      <Applications userId={userId} />
    </Section>
  );
}

function Person() {
  const query = useQuery(ownProfileQuery);
  return (
    <Section title="Profile" text="Your details as colleagues see them.">
      {query.data ? <PersonForm saved={query.data} /> : <Waiting query={query} of="Your profile" />}
    </Section>
  );
}

type PersonValues = { firstName: string; lastName: string; phoneNumber: string };
const personValues = (saved: OwnProfile): PersonValues => ({
  firstName: saved.firstName,
  lastName: saved.lastName,
  phoneNumber: formatPhone(saved.phoneNumber),
});
const PERSON_LABELS = { firstName: 'First name', lastName: 'Last name', phoneNumber: 'Phone' };
const NAME_MAX = 255;

function PersonForm({ saved }: { saved: OwnProfile }) {
  const { form, busy, formErrors, onSubmit } = useServerForm({
    initialValues: personValues(saved),
    validate: {
      firstName: (v) => (v.trim() ? tooLong(v, NAME_MAX) : 'First Name is required.'),
      lastName: (v) => (v.trim() ? tooLong(v, NAME_MAX) : 'Last Name is required.'),
    },
    submit: async (values) => {
      const isSaved = await conflict.save((version) => saveOwnProfile({ ...values, version }));
      if (isSaved) notify('success', 'Your profile was saved.');
      return isSaved;
    },
  });
  const conflict = useConflict({
    saved,
    latest: () => queryClient.fetchQuery({ ...ownProfileQuery, staleTime: 0 }),
    what: 'profile',
    changes: changedFields(PERSON_LABELS),
    button: 'Save profile',
    onLoad: (theirs) => form.setValues(personValues(theirs)),
  });
  return (
    <Form onSubmit={onSubmit} className="acc-form">
      <LeaveGuard isDirty={() => form.isDirty()} subject="Profile" />
      {conflict.banner}
      <NoticeList kind="error" messages={formErrors} />
      <p>
        <span className="cp-muted">Username: </span>
        {saved.userName}
      </p>
      <div className="acc-pair">
        <TextInput size="md" label="First name" required autoComplete="given-name" {...form.getInputProps('firstName')} />
        <TextInput size="md" label="Last name" required autoComplete="family-name" {...form.getInputProps('lastName')} />
      </div>
      <PhoneInput
        size="md"
        label="Phone"
        autoComplete="tel-national"
        {...form.getInputProps('phoneNumber')}
        onChange={(v) => form.setFieldValue('phoneNumber', v)}
      />
      <div className="acc-buttons">
        <Button type="submit" loading={busy}>
          Save profile
        </Button>
      </div>
    </Form>
  );
}

function Password() {
  const { authStrategy } = useProfile();
  const { form, busy, formErrors, onSubmit } = useServerForm({
    initialValues: { oldPassword: '', password: '', again: '' },
    validate: {
      oldPassword: (v) => (v ? null : 'Please enter your current password.'),
      password: (v) => (v ? null : 'Please enter a new password.'),
      again: (v, all) => (v === all.password ? null : 'The two passwords differ.'),
    },
    submit: async ({ oldPassword, password }) => {
      await changePassword({ oldPassword, password });
      form.reset();
      notify('success', 'Your password was changed. You are signed out everywhere else.');
    },
  });
  return (
    <Section title="Password" text="Changing it signs you out everywhere else.">
      <Form onSubmit={onSubmit} className="acc-form">
        {authStrategy === 'sso' && (
          <Notice kind="info">
            You signed in with single sign-on. A password is needed only to sign in without it; “Forgot your password?” on the sign-in page
            sends a link to set one.
          </Notice>
        )}
        <NoticeList kind="error" messages={formErrors} />
        <PasswordField size="md" label="Current password" required autoComplete="current-password" {...form.getInputProps('oldPassword')} />
        <PasswordField
          size="md"
          label="New password"
          description="At least 15 characters, or 8 if you use a second step. Several unrelated words work well."
          required
          autoComplete="new-password"
          {...form.getInputProps('password')}
        />
        <PasswordField size="md" label="Confirm new password" required autoComplete="new-password" {...form.getInputProps('again')} />
        <div className="acc-buttons">
          <Button type="submit" loading={busy}>
            Change password
          </Button>
        </div>
      </Form>
    </Section>
  );
}

function SecondStep() {
  const query = useQuery(secondFactorQuery);
  const [question, setQuestion] = useState<Question | null>(null);
  const [isSettingUp, setSettingUp] = useState(false);
  const [codes, setCodes] = useState<string[]>([]);
  const { data } = query;
  return (
    <>
      <Section title="Second step" text="A check after the password, so that the password alone is not enough.">
        {data ? (
          <Ways status={data} ask={setQuestion} onSetUp={() => setSettingUp(true)} />
        ) : (
          <Waiting query={query} of="The second step" />
        )}
      </Section>
      <Section
        title="Passkeys"
        text="Sign in with your fingerprint, your face or a key, without a password. A passkey does not work on a fake site."
      >
        {data ? <Passkeys status={data} ask={setQuestion} /> : <Waiting query={query} of="Passkeys" />}
      </Section>
      {question && <PasswordDialog question={question} onClose={() => setQuestion(null)} onCodes={setCodes} />}
      {isSettingUp && <AuthenticatorDialog onClose={() => setSettingUp(false)} onCodes={setCodes} />}
      {codes.length > 0 && <CodesDialog codes={codes} onClose={() => setCodes([])} />}
    </>
  );
}

type WaysProps = { status: SecondFactor; ask: (question: Question) => void };

function Ways({ status, ask, onSetUp }: WaysProps & { onSetUp: () => void }) {
  const hasAny = status.hasAuthenticator || status.emailCodes || status.passkeys.length > 0;
  return (
    <>
      {status.isRequired && !hasAny && (
        <Notice kind="info">A second step is required here. Until you set one up, you get a code by e-mail whenever you sign in.</Notice>
      )}
      <ul className="acc-list" aria-label="Second step">
        <li className="acc-item">
          <span className="cp-grow">
            <span className="cp-block cp-strong">Authenticator app</span>
            <span className="cp-block cp-muted">
              {status.hasAuthenticator ? `Set up ${formatDateTime(status.authenticatorSince)}` : 'A new code every 30 seconds'}
            </span>
          </span>
          {status.hasAuthenticator && <Chip state="Enabled" />}
          <Button variant="default" onClick={onSetUp}>
            {status.hasAuthenticator ? 'Set up again' : 'Set up'}
          </Button>
          {status.hasAuthenticator && (
            <Button
              variant="default"
              onClick={() =>
                ask({
                  title: 'Remove the authenticator app',
                  text: 'You will no longer be asked for its codes.',
                  label: 'Remove',
                  danger: true,
                  run: (password) => removeAuthenticator(password).then(() => undefined),
                  done: 'The authenticator app was removed.',
                })
              }
            >
              Remove app
            </Button>
          )}
        </li>
        <li className="acc-item">
          <span className="cp-grow">
            <span className="cp-block cp-strong">Codes by e-mail</span>
            <span className="cp-block cp-muted">{status.emailAddress ?? 'This installation cannot send e-mail to you.'}</span>
          </span>
          {status.emailCodes && <Chip state="Enabled" />}
          {(status.emailAddress || status.emailCodes) && (
            <Button
              variant="default"
              onClick={() =>
                ask({
                  title: status.emailCodes ? 'Switch codes by e-mail off' : 'Switch codes by e-mail on',
                  text: status.emailCodes ? 'You will no longer get them.' : `They will go to ${status.emailAddress ?? ''}.`,
                  label: status.emailCodes ? 'Switch off' : 'Switch on',
                  run: (password) => setEmailCodes(password, !status.emailCodes),
                  done: status.emailCodes ? 'Codes by e-mail are off.' : 'Codes by e-mail are on.',
                })
              }
            >
              {status.emailCodes ? 'Switch off' : 'Switch on'}
            </Button>
          )}
        </li>
        {hasAny && (
          <li className="acc-item">
            <span className="cp-grow">
              <span className="cp-block cp-strong">Recovery codes</span>
              <span className="cp-block cp-muted">{plural(status.recoveryCodes, 'code')} left</span>
            </span>
            <Button
              variant="default"
              onClick={() =>
                ask({
                  title: 'New recovery codes',
                  text: 'Your current codes will stop working.',
                  label: 'Create new codes',
                  run: renewRecoveryCodes,
                  done: 'New recovery codes were created.',
                })
              }
            >
              Create new codes
            </Button>
          </li>
        )}
      </ul>
    </>
  );
}

function Passkeys({ status, ask }: WaysProps) {
  const usable = status.passkeysAvailable && passkeysSupported();
  return (
    <>
      {status.passkeys.length > 0 && (
        <ul className="acc-list" aria-label="Passkeys">
          {status.passkeys.map((key) => (
            <li key={key.id} className="acc-item">
              <span className="cp-grow">
                <span className="cp-block cp-strong">{key.name}</span>
                <span className="cp-block cp-muted">
                  Added {formatDateTime(key.createdAt)}
                  {key.lastUsedAt && `, last used ${formatDateTime(key.lastUsedAt)}`}
                </span>
              </span>
              <Button
                variant="default"
                aria-label={`Rename ${key.name}`}
                onClick={() =>
                  ask({
                    title: 'Rename a passkey',
                    text: `New name for ${key.name}.`,
                    label: 'Rename',
                    name: key.name,
                    run: (password, name) => renamePasskey(key.id, password, name).then(() => undefined),
                    done: 'The passkey was renamed.',
                  })
                }
              >
                Rename
              </Button>
              <Button
                variant="default"
                aria-label={`Remove ${key.name}`}
                onClick={() =>
                  ask({
                    title: 'Remove a passkey',
                    text: `You will no longer be able to sign in with ${key.name}.`,
                    label: 'Remove',
                    danger: true,
                    run: (password) => removePasskey(key.id, password).then(() => undefined),
                    done: 'The passkey was removed.',
                  })
                }
              >
                Remove
              </Button>
            </li>
          ))}
        </ul>
      )}
      {usable ? (
        <div className="acc-buttons">
          <Button
            onClick={() =>
              ask({
                title: 'Add a passkey',
                text: 'Your browser will ask you to confirm. Give the passkey a name that you will recognize.',
                label: 'Add',
                name: browserName(navigator.userAgent),
                run: addPasskey,
                done: 'The passkey was added.',
              })
            }
          >
            Add a passkey
          </Button>
        </div>
      ) : (
        <Notice kind="info">
          {status.passkeysAvailable
            ? 'This browser, or the address at which you opened this page, cannot use passkeys.'
            : 'Passkeys cannot be used at the address of this installation.'}
        </Notice>
      )}
    </>
  );
}

function Sessions() {
  const query = useQuery(sessionsQuery);
  const [ending, setEnding] = useState<Ending | null>(null);
  const endOne = (session: OwnSession) =>
    setEnding({
      title: 'Sign out',
      subject: `${browserName(session.userAgent)}, ${session.sourceIp}`,
      text: 'This session ends at once. Unsaved work there is lost.',
      run: (given) => endSession(session.id, given),
      done: () => notify('success', 'The session has ended.'),
    });
  const endAll = () =>
    setEnding({
      title: 'Sign out everywhere',
      subject: plural(query.data?.length ?? 0, 'session'),
      text: 'All sessions end, including this one. You can sign in again at once.',
      run: endSessions,
      done: () => expireSession('You signed out everywhere.'),
    });
  return (
    <Section title="Sessions" text="Where you are signed in now.">
      {query.data ? (
        <>
          <ul className="acc-list" aria-label="Sessions">
            {query.data.map((session) => (
              <SessionItem key={session.id} session={session} onEnd={() => endOne(session)} />
            ))}
          </ul>
          <div className="acc-buttons">
            <Button variant="default" onClick={endAll}>
              Sign out everywhere
            </Button>
          </div>
        </>
      ) : (
        <Waiting query={query} of="Your sessions" />
      )}
      {ending && <EndDialog ending={ending} onClose={() => setEnding(null)} />}
    </Section>
  );
}

function SessionItem({ session, onEnd }: { session: OwnSession; onEnd: () => void }) {
  const name = browserName(session.userAgent);
  return (
    <li className="acc-item">
      <span className="cp-grow">
        <span className="cp-block cp-strong">{name}</span>
        <span className="cp-block cp-muted">
          {session.sourceIp}, since {formatDateTime(session.createdAt)}, last active {formatDateTime(session.lastUsedAt)}
        </span>
      </span>
      {session.isCurrent ? (
        <span className="cp-second">This session</span>
      ) : (
        <Button variant="default" aria-label={`Sign out ${name}, ${session.sourceIp}`} onClick={onEnd}>
          Sign out
        </Button>
      )}
    </li>
  );
}

const PREFERENCES: { field: keyof UserPreferences; label: string; description: string; roles?: string }[] = [
  {
    field: 'emailNewMessages',
    label: 'New messages',
    description: 'When messages arrive in Intake and you have not opened them, at most every 15 minutes.',
  },
  { field: 'emailUnprocessedMessages', label: 'Unprocessed messages', description: 'When messages wait for more than a day, once a day.' },
  { field: 'emailUnassignedMessages', label: 'Unassigned messages', description: 'When messages are assigned to nobody, once a day.' },
  {
    field: 'emailFailedMessagesDigest',
    label: 'Failed messages',
    description: 'When messages could not be delivered, at most once an hour.',
  },
  {
    field: 'emailFiledByRule',
    label: 'Documents filed by rules',
    description: 'How many documents intake rules filed into charts, once a day.',
    roles: 'Administrator',
  },
];

function Notifications() {
  const { roles } = useProfile();
  const query = useQuery(preferencesQuery);
  const save = useMutation({ mutationFn: savePreferences });
  const { data } = query;
  const { shown: changed, choose } = useChoice<Parameters<typeof savePreferences>[0]>({}, save);
  const shown = data && { ...data, ...changed };
  const address = useQuery(secondFactorQuery).data;
  // They are about messages, which only staff of an organization have.
  if (!hasRole({ roles }, 'Administrator,User')) return null;
  return (
    <Section title="Notifications" text="E-mails about the addresses linked to you, without patient details. Changes are saved at once.">
      {address && !address.emailAddress ? (
        <Notice kind="info">This installation cannot send e-mail to you.</Notice>
      ) : shown ? (
        <div className="acc-form">
          {PREFERENCES.filter(({ roles: of }) => !of || hasRole({ roles }, of)).map(({ field, label, description }) => (
            <Switch
              key={field}
              label={label}
              description={description}
              checked={shown[field] ?? false}
              onChange={(e) => choose({ ...changed, [field]: e.currentTarget.checked })}
            />
          ))}
        </div>
      ) : (
        <Waiting query={query} of="Your notifications" />
      )}
    </Section>
  );
}
