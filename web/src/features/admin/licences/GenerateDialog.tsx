import { ActionIcon, Button, Checkbox, NumberInput, Select, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconPencil } from '@tabler/icons-react';
import { useId, useState } from 'react';
import { ApiError } from '@/api/client';
import { LicenceIssueForm } from '@/api/limits.gen';
import type { License } from '@/api/types';
import { wordsOf } from '@/shared/errors';
import { Form } from '@/shared/form/Form';
import { ListSelect } from '@/shared/form/inputs';
import { OrganizationSelect } from '@/shared/form/OrganizationSelect';
import { useServerForm } from '@/shared/form/useServerForm';
import { limitError } from '@/shared/rules/limits';
import { ChoicesFailed, NoticeList } from '@/shared/ui/blocks';
import { Dialog } from '@/shared/ui/Dialog';
import { appsQuery, issueLicences } from './api';
import classes from './licences.module.css';

const initialValues = {
  name: '',
  email: '',
  internalproductname: '',
  quantity: 1 as number | string,
  expiresindays: 365 as number | string,
  company: null as string | null,
  licensedPlan: false,
  applicationname: null as string | null,
  licenseType: null as string | null,
  reference: '',
  connectorId: '',
  connectorName: '',
};
type Values = typeof initialValues;

const isWhole = (value: number | string, most: number) => typeof value === 'number' && value >= 1 && value <= most;
const MOST = 500;
const MOST_DAYS = 3_650;

/** Whether a form can be sent. Missing values are not listed: the button is disabled. */
export function isComplete(values: Values): boolean {
  const texts = ['name', 'email', 'internalproductname', 'reference', 'connectorId', 'connectorName'] as const;
  return (
    texts.every((name) => !limitError(LicenceIssueForm[name], values[name].trim())) &&
    isWhole(values.quantity, MOST) &&
    isWhole(values.expiresindays, MOST_DAYS) &&
    Boolean(values.company) &&
    (values.licensedPlan || Boolean(values.applicationname))
  );
}

/** Blank means none. */
const sent = (values: Values) =>
  Object.fromEntries(
    Object.entries(values)
      .filter(([name, value]) => value !== null && value !== '' && !(name === 'applicationname' && values.licensedPlan))
      .map(([name, value]) => [name, String(value).trim()]),
  );

/** The server's message besides field errors. */
const failure = (error: unknown) => {
  const texts = error instanceof ApiError ? Object.values(error.modelState).flat() : [];
  return `Error generating licenses: ${texts.length > 0 ? texts.join(' ') : wordsOf(error)}`;
};

type Props = { onClose: () => void; onIssued: (licences: License[]) => void };

/** Generates licences. */
export function GenerateDialog({ onClose, onIssued }: Props) {
  const id = useId();
  const [failed, setFailed] = useState<string[]>([]);
  const [isLocked, setLocked] = useState(true);
  const [first] = useState(() => ({ ...initialValues, reference: crypto.randomUUID() as string }));
  const apps = useQuery(appsQuery);
  const { form, busy, onSubmit } = useServerForm<Values>({
    initialValues: first,
    submit: async (values) => {
      setFailed([]);
      try {
        onIssued(await issueLicences(sent(values)));
      } catch (error) {
        setFailed([failure(error)]);
        throw error;
      }
    },
  });
  const { values } = form;
  /** The types of the application, or all types for a plan. */
  const typesFor = (application: string | null, licensedPlan: boolean) => {
    const app = licensedPlan ? undefined : apps.data?.find((a) => a.name === application);
    return app?.licenseTypes ?? [...new Set(apps.data?.flatMap((a) => a.licenseTypes))];
  };
  /** Deselects a type that the application does not have. */
  const license = (change: Partial<Pick<Values, 'applicationname' | 'licensedPlan'>>) => {
    const next = { ...values, ...change };
    const hasType = typesFor(next.applicationname, next.licensedPlan).includes(next.licenseType ?? '');
    form.setValues({ ...change, licenseType: hasType ? next.licenseType : null });
  };
  return (
    <Dialog
      opened
      onClose={() => !busy && onClose()}
      title="Generate License Keys"
      size={600}
      staysOnOutsideClick={form.isDirty()}
      footer={
        <>
          <div className="cp-grow" />
          <Button size="md" variant="default" disabled={busy} onClick={onClose}>
            Cancel
          </Button>
          <Button size="md" type="submit" form={id} loading={busy} disabled={!isComplete(values)}>
            Generate
          </Button>
        </>
      }
    >
      <Form id={id} className={`cp-dialog-form ${classes.form}`} onSubmit={onSubmit}>
        <ChoicesFailed of={[apps]} />
        <NoticeList kind="error" messages={failed} />
        <TextInput size="md" label="Name" required data-autofocus maxLength={255} {...form.getInputProps('name')} />
        <TextInput size="md" label="Email" required maxLength={255} {...form.getInputProps('email')} />
        <TextInput size="md" label="Product name" required maxLength={255} {...form.getInputProps('internalproductname')} />
        <div className={classes.pair}>
          <NumberInput size="md" label="Quantity" required allowDecimal={false} min={1} max={MOST} {...form.getInputProps('quantity')} />
          <NumberInput
            size="md"
            label="Expires in days"
            required
            allowDecimal={false}
            min={1}
            max={MOST_DAYS}
            {...form.getInputProps('expiresindays')}
          />
        </div>
        <OrganizationSelect size="md" label="Organization" required {...form.getInputProps('company')} />
        <Checkbox
          size="sm"
          label="Licensed Plan"
          {...form.getInputProps('licensedPlan', { type: 'checkbox' })}
          onChange={(e) => license({ licensedPlan: e.currentTarget.checked })}
        />
        {!values.licensedPlan && (
          <ListSelect
            size="md"
            label="Application name"
            required
            data={(apps.data ?? []).map((a) => a.name)}
            {...form.getInputProps('applicationname')}
            onChange={(applicationname) => license({ applicationname })}
          />
        )}
        <Select
          size="md"
          label="License type"
          clearable
          data={typesFor(values.applicationname, values.licensedPlan)}
          {...form.getInputProps('licenseType')}
        />
        <TextInput
          size="md"
          label="Reference"
          required
          maxLength={64}
          readOnly={isLocked}
          description="Licences can be generated once for each reference."
          rightSection={
            isLocked && (
              <ActionIcon variant="subtle" color="gray" aria-label="Edit the reference" onClick={() => setLocked(false)}>
                <IconPencil size={16} stroke={1.6} />
              </ActionIcon>
            )
          }
          {...form.getInputProps('reference')}
        />
        <TextInput
          size="md"
          label="Connector fingerprint"
          description="As the connector shows it. Only this connector can use the licence."
          maxLength={95}
          {...form.getInputProps('connectorId')}
        />
        <TextInput size="md" label="Connector name" maxLength={255} {...form.getInputProps('connectorName')} />
      </Form>
    </Dialog>
  );
}
