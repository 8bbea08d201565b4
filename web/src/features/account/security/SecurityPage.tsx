import { Button, NumberInput, Switch } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError } from '@/api/client';
import type { SecuritySettings } from '@/api/types';
import { queryClient } from '@/app/session';
import { Form } from '@/shared/form/Form';
import { TagInput } from '@/shared/form/inputs';
import { changedFields, useConflict } from '@/shared/form/conflict';
import { Saved } from '@/shared/form/saved';
import { useServerForm } from '@/shared/form/useServerForm';
import { notify } from '@/shared/notify';
import { NoticeList } from '@/shared/ui/blocks';
import { ConfirmDialog } from '@/shared/ui/Dialog';
import { PageHead } from '@/shared/ui/PageHead';
import { Section } from '../Section';
import { type SecurityInput, saveSecurity, securityQuery } from './api';

export function SecurityPage() {
  return (
    <>
      <PageHead title="Security" />
      <div className="cp-scroll acc-body">
        <Saved query={securityQuery} failed="The settings could not be loaded">
          {(saved, reload) => <SecurityForm saved={saved} onReload={reload} />}
        </Saved>
      </div>
    </>
  );
}

const LABELS: Partial<Record<keyof SecuritySettings, string>> = {
  requireSecondFactor: 'Second step for everybody',
  idleMinutes: 'Minutes without activity',
  requireWhitelistedIp: 'Only allowed addresses',
  allowedAddresses: 'Allowed addresses',
};

const SAVED = 'The security settings were saved.';

function SecurityForm({ saved, onReload }: { saved: SecuritySettings; onReload: () => void }) {
  const conflict = useConflict({
    saved,
    latest: () => queryClient.fetchQuery({ ...securityQuery, staleTime: 0 }),
    what: 'page',
    changes: changedFields(LABELS),
    button: 'Save settings',
    onLoad: onReload,
  });
  const [lockOut, setLockOut] = useState<SecurityInput | null>(null);
  const save = async (values: SecurityInput) => {
    const isSaved = await conflict.save((version) => saveSecurity({ ...values, version }));
    if (isSaved) notify('success', SAVED);
    return isSaved;
  };
  const { form, busy, formErrors, onSubmit } = useServerForm({
    initialValues: {
      idleMinutes: saved.idleMinutes,
      requireSecondFactor: saved.requireSecondFactor,
      requireWhitelistedIp: saved.requireWhitelistedIp,
      allowedAddresses: saved.allowedAddresses,
    },
    validate: {
      idleMinutes: (v) => (Number.isInteger(v) && v >= 5 && v <= 30 ? null : 'Please enter 5 to 30 minutes.'),
      allowedAddresses: (v, all) =>
        all.requireWhitelistedIp && v.length === 0 ? 'Please enter at least one address, or allow all.' : null,
    },
    submit: async (values) => {
      try {
        return await save(values);
      } catch (error) {
        if (!(error instanceof ApiError && error.modelState.confirmLockOut)) throw error;
        setLockOut(values);
        return false;
      }
    },
  });
  const confirm = useMutation({
    mutationFn: (values: SecurityInput) => save({ ...values, confirmLockOut: true }),
    onSettled: () => setLockOut(null),
  });
  const { requireWhitelistedIp, allowedAddresses } = form.values;
  return (
    <Form onSubmit={onSubmit}>
      {conflict.banner}
      <NoticeList kind="error" messages={formErrors} />
      <Section title="Second step" text="The check after the password at sign-in.">
        <Switch
          label="Everybody needs a second step to sign in"
          description={saved.secondFactorAlways ? 'This installation asks everybody for one.' : 'Anyone without one gets a code by e-mail.'}
          disabled={saved.secondFactorAlways}
          {...form.getInputProps('requireSecondFactor', { type: 'checkbox' })}
          {...(saved.secondFactorAlways ? { checked: true } : {})}
        />
      </Section>
      <Section title="Sessions" text="People are signed out after this long without activity.">
        <div className="acc-form">
          <NumberInput
            size="md"
            label="Minutes without activity"
            description="5 to 30. People are warned a minute before, and their input is kept."
            required
            min={5}
            max={30}
            clampBehavior="none"
            allowDecimal={false}
            w={240}
            {...form.getInputProps('idleMinutes')}
          />
        </div>
      </Section>
      <Section title="Addresses" text="Addresses from which people may work. All others are refused.">
        <div className="acc-form">
          <Switch label="Allow only these addresses" {...form.getInputProps('requireWhitelistedIp', { type: 'checkbox' })} />
          {requireWhitelistedIp && (
            <>
              <TagInput
                size="md"
                label="Allowed addresses"
                description="Addresses such as 203.0.113.9, and networks such as 203.0.113.0/24 or 2001:db8::/32."
                {...form.getInputProps('allowedAddresses')}
              />
              <div className="acc-item">
                <span className="cp-grow cp-second">You come from {saved.ownAddress}.</span>
                {!allowedAddresses.includes(saved.ownAddress) && (
                  <Button variant="default" onClick={() => form.setFieldValue('allowedAddresses', [...allowedAddresses, saved.ownAddress])}>
                    Add this address
                  </Button>
                )}
              </div>
            </>
          )}
        </div>
      </Section>
      <div className="acc-buttons">
        <Button type="submit" loading={busy}>
          Save settings
        </Button>
      </div>
      <ConfirmDialog
        opened={lockOut !== null}
        onClose={() => setLockOut(null)}
        onConfirm={() => lockOut && confirm.mutate(lockOut)}
        busy={confirm.isPending}
        title="Your own address is not in the list"
        subject={saved.ownAddress}
        question="Saving this locks you out at once, and you can return only from an allowed address. Save anyway?"
        confirmLabel="Save and lock me out"
        danger
      />
    </Form>
  );
}
