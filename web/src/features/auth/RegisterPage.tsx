import { Button, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useBranding } from '@/app/branding';
import { Form } from '@/shared/form/Form';
import { ListSelect, PhoneInput, UniqueInput } from '@/shared/form/inputs';
import { useServerForm } from '@/shared/form/useServerForm';
import { paths } from '@/shared/paths';
import { isUsername, USERNAME_TEXTS, tooLong } from '@/shared/rules/fields';
import { usStates } from '@/shared/rules/states';
import { AppLink } from '@/shared/ui/AppLink';
import { ErrorState, Notice, NoticeList } from '@/shared/ui/blocks';
import { AuthFrame } from './AuthFrame';
import { isSubdomainTaken, register, registrationOptionsQuery } from './api';

const SUBDOMAIN_REFUSED = 'This subdomain already exists, contains invalid characters or is a reserved word, please enter a different one.';
const REQUIRED = 'Please enter a valid value for this field.';
const filled = (v: string) => (v.trim() ? null : REQUIRED);

const EMPTY = {
  name: '',
  subDomain: '',
  organizationTypeId: '',
  organizationSpecialtyId: '',
  street: '',
  unit: '',
  city: '',
  state: '',
  zip: '',
  primaryPhone: '',
  primaryContactFirstName: '',
  primaryContactLastName: '',
  primaryContactTitle: '',
  userName: '',
};

export function RegisterPage() {
  const { registration } = useBranding();
  const [sentTo, setSentTo] = useState<string | null>(null);
  return (
    <AuthFrame title={sentTo ? 'Check your mailbox' : 'Register your practice'}>
      {sentTo ? (
        <Sent address={sentTo} />
      ) : registration ? (
        <RegistrationForm onSent={setSentTo} />
      ) : (
        <p className="cp-auth-lead">New practices are registered by the operator of this installation.</p>
      )}
      <p className="cp-auth-links">
        <AppLink href={paths.login()} className="cp-link">
          {sentTo ? 'Go to sign-in' : 'I have an account'}
        </AppLink>
      </p>
    </AuthFrame>
  );
}

function Sent({ address }: { address: string }) {
  const { demoMailbox } = useBranding();
  return (
    <div className="cp-auth-form">
      <Notice kind="success">
        We sent an e-mail to {address}. Follow its link within 7 days to choose your password and open your account.
        {demoMailbox && (
          <>
            {' '}
            <AppLink href={paths.demoMailbox} className="cp-link">
              Open the mailbox of this demonstration
            </AppLink>
          </>
        )}
      </Notice>
    </div>
  );
}

/** Longest name of a practice. */
const NAME_MAX = 50;
const choices = (items: { id: string; name: string }[] | undefined) => (items ?? []).map((i) => ({ value: i.id, label: i.name }));

function RegistrationForm({ onSent }: { onSent: (address: string) => void }) {
  const options = useQuery(registrationOptionsQuery);
  const { form, busy, formErrors, onSubmit } = useServerForm({
    initialValues: EMPTY,
    validate: {
      name: (v) => filled(v) ?? tooLong(v, NAME_MAX),
      subDomain: filled,
      organizationTypeId: filled,
      organizationSpecialtyId: filled,
      street: filled,
      city: filled,
      state: filled,
      zip: filled,
      primaryPhone: (v) => (v.replace(/\D/g, '').length === 10 ? null : REQUIRED),
      primaryContactFirstName: filled,
      primaryContactLastName: filled,
      userName: (v) => (isUsername(v.trim()) ? null : USERNAME_TEXTS.notValid),
    },
    submit: async (values) => {
      await register(values);
      onSent(values.userName.trim());
    },
  });
  if (options.error)
    return <ErrorState title="The form could not be loaded" error={options.error} onRetry={() => void options.refetch()} />;
  const field = (name: keyof typeof EMPTY) => ({ size: 'md' as const, ...form.getInputProps(name) });
  const chosen = (name: 'organizationTypeId' | 'organizationSpecialtyId' | 'state') => ({
    ...field(name),
    value: form.values[name] || null,
    onChange: (v: string | null) => form.setFieldValue(name, v ?? ''),
  });
  const typed = (name: 'subDomain' | 'userName' | 'primaryPhone') => ({
    ...field(name),
    value: form.values[name],
    onChange: (v: string) => form.setFieldValue(name, v),
  });
  return (
    <>
      <p className="cp-auth-lead">You become its administrator. Nothing is charged.</p>
      <Form onSubmit={onSubmit} className="cp-auth-form">
        <NoticeList kind="error" messages={formErrors} />
        <h2 className="cp-auth-part">Practice</h2>
        <TextInput label="Name of the practice" required autoComplete="organization" {...field('name')} />
        <UniqueInput
          label="Subdomain"
          description="Your own part of your Direct addresses, such as harborview."
          required
          maxLength={63}
          autoCapitalize="none"
          queryKey="register.subDomain"
          isTaken={isSubdomainTaken}
          takenText={SUBDOMAIN_REFUSED}
          freeText="This subdomain is available."
          {...typed('subDomain')}
        />
        <ListSelect label="Type" required data={choices(options.data?.types)} {...chosen('organizationTypeId')} />
        <ListSelect label="Specialty" required data={choices(options.data?.specialties)} {...chosen('organizationSpecialtyId')} />
        <TextInput label="Street" required maxLength={255} autoComplete="address-line1" {...field('street')} />
        <TextInput label="Unit" maxLength={255} autoComplete="address-line2" {...field('unit')} />
        <TextInput label="City" required maxLength={255} autoComplete="address-level2" {...field('city')} />
        <ListSelect label="State" required data={usStates} {...chosen('state')} />
        <TextInput label="Zip" required maxLength={10} inputMode="numeric" autoComplete="postal-code" {...field('zip')} />
        <PhoneInput label="Phone" required autoComplete="tel-national" {...typed('primaryPhone')} />
        <h2 className="cp-auth-part">You</h2>
        <TextInput label="First name" required maxLength={255} autoComplete="given-name" {...field('primaryContactFirstName')} />
        <TextInput label="Last name" required maxLength={255} autoComplete="family-name" {...field('primaryContactLastName')} />
        <TextInput label="Title" maxLength={255} autoComplete="organization-title" {...field('primaryContactTitle')} />
        <TextInput
          label="Username"
          description="Your e-mail address. We send a link there to choose your password."
          required
          maxLength={255}
          autoComplete="username"
          inputMode="email"
          {...field('userName')}
        />
        <Button size="md" type="submit" fullWidth loading={busy}>
          Register
        </Button>
      </Form>
    </>
  );
}
