import { Button, Switch, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { SsoConnection, SsoSettings } from '@/api/types';
import { Form } from '@/shared/form/Form';
import { PasswordField } from '@/shared/form/inputs';
import { changedFields, useConflict } from '@/shared/form/conflict';
import { useServerForm } from '@/shared/form/useServerForm';
import { plural } from '@/shared/format';
import { notify } from '@/shared/notify';
import { isSecureUrl } from '@/shared/rules/fields';
import { ErrorState, NoticeList } from '@/shared/ui/blocks';
import { CopyIcon } from '@/shared/ui/CopyIcon';
import { ConfirmDialog } from '@/shared/ui/Dialog';
import { PageHead } from '@/shared/ui/PageHead';
import { Section } from '../Section';
import { readSso, removeSso, saveSso, ssoQuery } from './api';

export function SsoPage() {
  const query = useQuery(ssoQuery);
  return (
    <>
      <PageHead title="Single sign-on" />
      <div className="cp-scroll acc-body">
        {query.data ? (
          <SsoForm key={query.data.connection ? 'kept' : 'new'} settings={query.data} />
        ) : query.error ? (
          <ErrorState title="The settings could not be loaded" error={query.error} onRetry={() => void query.refetch()} />
        ) : (
          <div role="status" aria-label="Loading">
            <div className="cp-bone" style={{ width: '40%' }} />
          </div>
        )}
      </div>
    </>
  );
}

const NAME = /^[a-z0-9][a-z0-9-]{0,38}[a-z0-9]$/i;

const valuesOf = (connection: SsoConnection | null | undefined) => ({
  name: connection?.name ?? '',
  issuer: connection?.issuer ?? '',
  clientId: connection?.clientId ?? '',
  clientSecret: '',
  isEnabled: connection?.isEnabled ?? true,
  acrValues: connection?.acrValues ?? '',
  maxAgeMinutes: connection?.maxAgeMinutes?.toString() ?? '',
});

const LABELS = {
  issuer: 'Provider address',
  clientId: 'Client ID',
  acrValues: 'Multi-factor acr values',
  maxAgeMinutes: 'Sign in again after',
  name: 'Connection name',
  isEnabled: 'Sign-in',
} as const;

/** Minutes, at most a day, or nothing. */
const isAge = (text: string) => text === '' || (/^\d{1,4}$/.test(text) && Number(text) >= 1 && Number(text) <= 1440);

function SsoForm({ settings: { connection, redirectAddress } }: { settings: SsoSettings }) {
  const conflict = useConflict<SsoConnection>({
    saved: connection ?? null,
    latest: readSso,
    what: 'connection',
    changes: changedFields(LABELS),
    button: 'Save single sign-on',
    onLoad: (theirs) => form.setValues(valuesOf(theirs)),
  });
  const { form, busy, formErrors, onSubmit } = useServerForm({
    initialValues: valuesOf(connection),
    validate: {
      name: (v) => (NAME.test(v.trim()) ? null : 'Please use 2 to 40 lower-case letters, digits and hyphens.'),
      issuer: (v) => (isSecureUrl(v.trim()) ? null : 'Please enter the address of the provider, such as https://login.example.org.'),
      clientId: (v) => (v.trim() ? null : 'Please enter the client ID that the provider gave you.'),
      maxAgeMinutes: (v) => (isAge(v.trim()) ? null : 'Please enter 1 to 1440 minutes, or leave it blank.'),
    },
    submit: async (values) => {
      const sent = {
        ...values,
        clientSecret: values.clientSecret || null,
        maxAgeMinutes: values.maxAgeMinutes.trim() ? Number(values.maxAgeMinutes) : null,
      };
      const isSaved = await conflict.save((version) => saveSso({ ...sent, version }));
      if (!isSaved) return false;
      form.setFieldValue('clientSecret', '');
      form.setFieldValue('name', values.name.trim().toLowerCase());
      notify('success', 'Single sign-on was saved.');
    },
  });
  return (
    <Form onSubmit={onSubmit}>
      {conflict.banner}
      <NoticeList kind="error" messages={formErrors} />
      <Section title="Provider" text="The OpenID Connect provider of your organization. It must be reachable when you save.">
        <div className="acc-form">
          <p className="cp-second">
            Register this address with the provider as the redirect address: <span className="acc-break">{redirectAddress}</span>{' '}
            <CopyIcon value={redirectAddress} name="the redirect address" />
            <br />
            Earlier versions shared one address that ended in /callback: a provider that still has it refuses the sign-in until this one is
            registered.
          </p>
          <TextInput
            size="md"
            label="Provider address"
            description="The issuer, such as https://login.example.org"
            required
            maxLength={500}
            inputMode="url"
            autoComplete="off"
            {...form.getInputProps('issuer')}
          />
          <TextInput size="md" label="Client ID" required maxLength={200} autoComplete="off" {...form.getInputProps('clientId')} />
          <PasswordField
            size="md"
            label="Client secret"
            description={
              connection?.hasClientSecret ? 'A secret is saved. Leave this empty to keep it.' : 'Leave this empty for a public client.'
            }
            maxLength={200}
            autoComplete="new-password"
            {...form.getInputProps('clientSecret')}
          />
        </div>
      </Section>
      <Section
        title="Second step"
        text="People who need a second step are asked for it here, unless the provider reports a sign-in with several factors."
      >
        <div className="acc-form">
          <TextInput
            size="md"
            label="Multi-factor acr values"
            description="The acr values that your provider reports for a sign-in with several factors, separated by spaces. Leave empty if there are none: the reported methods count then."
            maxLength={500}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            {...form.getInputProps('acrValues')}
          />
          <TextInput
            size="md"
            label="Sign in again after"
            description="Minutes after which the provider must ask people to sign in again, from 1 to 1440. Leave it empty to let the provider decide."
            inputMode="numeric"
            maxLength={4}
            autoComplete="off"
            {...form.getInputProps('maxAgeMinutes')}
          />
        </div>
      </Section>
      <Section
        title="Sign-in"
        text="Accounts of this organization are found by the e-mail address that the provider has verified. These sign-ins give access to this organization only."
      >
        <div className="acc-form">
          <TextInput
            size="md"
            label="Connection name"
            description="Part of the sign-in address."
            required
            maxLength={40}
            autoComplete="off"
            autoCapitalize="none"
            {...form.getInputProps('name')}
          />
          {connection && <SignInAddress connection={connection} />}
          <Switch label="People can sign in with this provider" {...form.getInputProps('isEnabled', { type: 'checkbox' })} />
        </div>
      </Section>
      <div className="acc-buttons">
        <Button type="submit" loading={busy}>
          Save single sign-on
        </Button>
        {connection && <Remove connection={connection} />}
      </div>
    </Form>
  );
}

function SignInAddress({ connection }: { connection: SsoConnection }) {
  return (
    <p className="cp-second">
      People sign in at <span className="acc-break">{connection.signInAddress}</span>{' '}
      <CopyIcon value={connection.signInAddress} name="the sign-in address" />
      <br />
      {connection.linkedPeople === 0
        ? 'Nobody has signed in with it yet.'
        : `${plural(connection.linkedPeople, 'person')} signed in with it.`}
    </p>
  );
}

function Remove({ connection }: { connection: SsoConnection }) {
  const [asks, setAsks] = useState(false);
  const remove = useMutation({
    mutationFn: removeSso,
    onSuccess: () => notify('success', 'Single sign-on was removed.'),
    onSettled: () => setAsks(false),
  });
  return (
    <>
      <Button variant="default" onClick={() => setAsks(true)}>
        Remove
      </Button>
      <ConfirmDialog
        opened={asks}
        onClose={() => setAsks(false)}
        onConfirm={() => remove.mutate()}
        busy={remove.isPending}
        title="Remove single sign-on"
        subject={connection.name}
        question="Everybody who signed in with this provider is signed out at once and needs a password from then on. Remove it?"
        confirmLabel="Remove"
        danger
      />
    </>
  );
}
