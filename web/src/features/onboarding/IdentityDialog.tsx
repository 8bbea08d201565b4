import './onboarding.css';
import { Button, TextInput, UnstyledButton } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { IconChevronRight } from '@tabler/icons-react';
import { type FocusEventHandler, useState } from 'react';
import type { Standing } from '@/api/types';
import { formatSsn } from '@/shared/format';
import { DateInput } from '@/shared/form/DateInput';
import { Form } from '@/shared/form/Form';
import { ListSelect, PasswordField, PhoneInput } from '@/shared/form/inputs';
import { useServerForm } from '@/shared/form/useServerForm';
import { usStates } from '@/shared/rules/states';
import { Notice, NoticeList } from '@/shared/ui/blocks';
import { Dialog } from '@/shared/ui/Dialog';
import { isOutdated, submitIdentity } from './api';
import { StepFoot } from './parts';
import { emptyIdentity, identityChecks, type IdentityValues, inputOf, isDuplicateAddress, isFilled, TEXT_MAX, ZIP_MAX } from './rules';

type IdentityForm = UseFormReturnType<IdentityValues>;

type Props = {
  /** Whether a service asks questions about the person; otherwise a photo ID is compared with these details. */
  asksQuestions: boolean;
  onDone: (standing: Standing) => void;
  onOutdated: () => void;
};

/** The administrator's identity. Nothing of it is kept in the browser, where others could find it later. */
export function IdentityDialog({ asksQuestions, onDone, onOutdated }: Props) {
  const { form, busy, formErrors, onSubmit } = useServerForm<IdentityValues>({
    initialValues: emptyIdentity(),
    validate: identityChecks,
    submit: async (values) => {
      try {
        onDone(await submitIdentity(inputOf(values)));
      } catch (error) {
        if (isOutdated(error)) onOutdated();
        throw error;
      }
    },
  });
  const [formerOpened, setFormerOpened] = useState(false);
  const [isDuplicate, setDuplicate] = useState(false);
  const showsFormer = formerOpened || isFilled(form.values.formerAddress);
  const ssn = form.getInputProps('ssn');
  const look = () => setDuplicate(isDuplicateAddress(form.values));
  return (
    <Dialog
      opened
      locked
      onClose={() => {}}
      title="Submit your identity"
      size={760}
      footer={
        <StepFoot step={4}>
          <Button size="md" type="submit" form="identity" loading={busy}>
            Submit
          </Button>
        </StepFoot>
      }
    >
      <Form id="identity" onSubmit={onSubmit} className="onb-body">
        <p className="cp-second">
          {asksQuestions
            ? 'Not all fields are required, but filling all of them improves the chance that we can verify you.'
            : 'We compare this with your photo ID, which we ask for next. It is kept sealed until you are verified.'}
        </p>
        <NoticeList kind="error" messages={formErrors} />
        <div className="onb-grid">
          <div className="onb-half">
            <TextInput
              label="First Name"
              required
              maxLength={TEXT_MAX}
              autoComplete="given-name"
              data-autofocus
              {...form.getInputProps('firstName')}
            />
          </div>
          <div className="onb-half">
            <TextInput label="Last Name" required maxLength={TEXT_MAX} autoComplete="family-name" {...form.getInputProps('lastName')} />
          </div>
          <DateInput label="Date of Birth" description="As on your photo ID" required keepInvalid {...form.getInputProps('dateOfBirth')} />
          {asksQuestions && (
            <PasswordField
              label="SSN"
              description="Optional; not kept"
              inputMode="numeric"
              autoComplete="off"
              maxLength={11}
              {...ssn}
              onBlur={(e) => {
                // Dashes in other places are kept, and reported as an error.
                if (/^\d{9}$/.test(form.values.ssn)) form.setFieldValue('ssn', formatSsn(form.values.ssn));
                (ssn.onBlur as FocusEventHandler | undefined)?.(e);
              }}
            />
          )}
          <PhoneInput label="Phone Number" description="Optional" autoComplete="tel-national" {...form.getInputProps('phoneNumber')} />
        </div>
        <h3 className="onb-head">Current address</h3>
        <AddressFields form={form} at="currentAddress" onLeave={look} />
        <UnstyledButton
          className="cp-link cp-row"
          aria-expanded={showsFormer}
          aria-controls="former-address"
          // An error shown on blur would move this from under the pointer.
          onMouseDown={(e) => e.preventDefault()}
          onClick={() => setFormerOpened(!showsFormer)}
        >
          <IconChevronRight size={15} stroke={2} className="cp-turn" data-open={showsFormer || undefined} aria-hidden />
          Former address
        </UnstyledButton>
        <div id="former-address" hidden={!showsFormer}>
          {showsFormer && <AddressFields form={form} at="formerAddress" onLeave={look} />}
        </div>
        {isDuplicate && <Notice kind="warning">The former address is the same as the current one. Please check that this is right.</Notice>}
      </Form>
    </Dialog>
  );
}

function AddressFields({ form, at, onLeave }: { form: IdentityForm; at: 'currentAddress' | 'formerAddress'; onLeave: () => void }) {
  const needed = at === 'currentAddress' || isFilled(form.values.formerAddress);
  const field = (name: string) => {
    const props = form.getInputProps(`${at}.${name}`);
    return {
      ...props,
      onBlur: (e: React.FocusEvent) => {
        props.onBlur?.(e);
        onLeave();
      },
    };
  };
  return (
    <div className="onb-grid" role="group" aria-label={at === 'currentAddress' ? 'Current address' : 'Former address'}>
      <div className="onb-wide">
        <TextInput label="Address" required={needed} maxLength={TEXT_MAX} {...field('addressLine')} />
      </div>
      <TextInput label="Unit" maxLength={TEXT_MAX} {...field('addressUnit')} />
      <TextInput label="City" required={needed} maxLength={TEXT_MAX} {...field('city')} />
      <ListSelect
        label="State"
        required={needed}
        data={usStates}
        {...field('state')}
        onChange={(v) => form.setFieldValue(`${at}.state`, v ?? '')}
      />
      <TextInput label="Zip" required={needed} maxLength={ZIP_MAX} inputMode="numeric" {...field('zip')} />
    </div>
  );
}
