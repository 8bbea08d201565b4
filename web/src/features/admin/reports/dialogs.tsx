import { TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { now } from '@/shared/clock';
import { useDebounced } from '@/shared/debounce';
import { ListMultiSelect } from '@/shared/form/inputs';
import { ReportDates } from '@/shared/form/ReportDates';
import { useServerForm } from '@/shared/form/useServerForm';
import { formatCount } from '@/shared/format';
import { reportDateErrors, reportRange } from '@/shared/rules/dates';
import { DEFAULT_FIELD_ERROR, digitsOnly } from '@/shared/rules/fields';
import { REPORT_SIZE } from '@/shared/rules/events';
import { FormDialog } from '@/shared/ui/FormDialog';
import { ChoicesFailed } from '@/shared/ui/blocks';
import { organizationChoicesQuery, saveDevices, saveMessages } from './api';

const SEARCH_DELAY_MS = 300;
const PAGE_DIGITS = 2;

/** The event report of a date range, in files of 10,000 lines each. */
export function MessagesReportDialog({ onClose }: { onClose: () => void }) {
  const { form, ...rest } = useServerForm({
    initialValues: { ...reportRange(now()), pageNumber: '1' },
    validate: {
      start: (_, { start, end }) => reportDateErrors({ start, end }, now()).start ?? null,
      end: (_, { start, end }) => reportDateErrors({ start, end }, now()).end ?? null,
      pageNumber: (page) => (Number(page) > 0 ? null : DEFAULT_FIELD_ERROR),
    },
    submit: async ({ start, end, pageNumber }) => {
      if (await saveMessages({ start, end }, Number(pageNumber))) onClose();
    },
  });
  const page = form.getInputProps('pageNumber');
  return (
    <FormDialog title="Messages" label="Download" onClose={onClose} {...rest}>
      <ReportDates start={form.getInputProps('start')} end={form.getInputProps('end')} />
      <TextInput
        size="md"
        label="Page Number"
        description={`A page holds ${formatCount(REPORT_SIZE)} events, the newest first.`}
        required
        inputMode="numeric"
        autoComplete="off"
        maxLength={PAGE_DIGITS}
        {...page}
        onChange={(e) => form.setFieldValue('pageNumber', digitsOnly(e.currentTarget.value, PAGE_DIGITS))}
      />
    </FormDialog>
  );
}

/** The sign-ins of a date range. */
export function DevicesReportDialog({ onClose }: { onClose: () => void }) {
  const { form, ...rest } = useServerForm({
    initialValues: reportRange(now()),
    validate: {
      start: (_, days) => reportDateErrors(days, now()).start ?? null,
      end: (_, days) => reportDateErrors(days, now()).end ?? null,
    },
    submit: async (days) => {
      if (await saveDevices(days)) onClose();
    },
  });
  return (
    <FormDialog title="Devices" label="Download" onClose={onClose} {...rest}>
      <ReportDates start={form.getInputProps('start')} end={form.getInputProps('end')} />
    </FormDialog>
  );
}

type OrganizationsReportProps = {
  title: string;
  /** The content of the file. */
  text: string;
  save: (organizationIds: string[]) => Promise<boolean>;
  onClose: () => void;
};

/** A report about chosen organizations, which keep their names while others are searched. */
export function OrganizationsReportDialog({ title, text, save, onClose }: OrganizationsReportProps) {
  const [typed, setTyped] = useState('');
  const words = useDebounced(typed.trim(), SEARCH_DELAY_MS);
  const choices = useQuery(organizationChoicesQuery(words));
  const [names, setNames] = useState<Record<string, string>>({});
  const { form, ...rest } = useServerForm({
    initialValues: { organizations: [] as string[] },
    validate: { organizations: (ids) => (ids.length > 0 ? null : 'Please choose an organization.') },
    submit: async ({ organizations }) => {
      if (await save(organizations)) onClose();
    },
  });
  const found = Object.fromEntries((choices.data ?? []).map((o) => [o.id, o.name]));
  const chosen = form.values.organizations;
  const all = { ...found, ...Object.fromEntries(chosen.map((id) => [id, names[id] ?? id])) };
  return (
    <FormDialog title={title} label="Download" onClose={onClose} {...rest}>
      <ChoicesFailed of={[choices]} />
      <ListMultiSelect
        data-autofocus
        size="md"
        label="Organizations"
        description={`Search by the beginning of the name. ${text}`}
        required
        // An open dropdown would cover the buttons of the dialog.
        openOnFocus={false}
        data={Object.entries(all).map(([value, label]) => ({ value, label }))}
        filter={({ options }) => options}
        onSearchChange={setTyped}
        {...form.getInputProps('organizations')}
        onChange={(ids) => {
          setNames(Object.fromEntries(ids.map((id) => [id, all[id] ?? id])));
          form.setFieldValue('organizations', ids);
        }}
      />
    </FormDialog>
  );
}
