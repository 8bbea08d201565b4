import '../account.css';
import { Button, NumberInput, Select, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { FaxSettings } from '@/api/types';
import { queryClient } from '@/app/session';
import { Form } from '@/shared/form/Form';
import { TagInput } from '@/shared/form/inputs';
import { changedFields, useConflict } from '@/shared/form/conflict';
import { useServerForm } from '@/shared/form/useServerForm';
import { notify } from '@/shared/notify';
import { ErrorState, NoticeList } from '@/shared/ui/blocks';
import { LeaveGuard } from '@/shared/ui/LeaveGuard';
import { Section } from '../Section';
import { saveSettings, settingsQuery } from './api';

export function SettingsTab() {
  const query = useQuery(settingsQuery);
  if (query.data) return <SettingsForm saved={query.data} />;
  if (query.error) return <ErrorState title="The settings could not be loaded" error={query.error} onRetry={() => void query.refetch()} />;
  return (
    <div role="status" aria-label="Loading">
      <div className="cp-bone" style={{ width: '40%' }} />
    </div>
  );
}

const ZONES = [
  'America/New_York',
  'America/Chicago',
  'America/Denver',
  'America/Phoenix',
  'America/Los_Angeles',
  'America/Anchorage',
  'Pacific/Honolulu',
  'UTC',
];

/** An empty field means no limit. */
const limit = (value: number | string | null | undefined) => (value === '' || value == null ? null : Number(value));
const shownTime = (time: string | null | undefined) => (time ?? '').slice(0, 5);
const keptTime = (time: string) => (time ? `${time}:00` : null);

const valuesOf = (saved: FaxSettings) => ({
  timeZone: saved.timeZone ?? 'America/New_York',
  areaCode: saved.areaCode ?? '',
  pagesPerDay: (saved.pagesPerDay ?? '') as number | string,
  centsPerPage: (saved.centsPerPage ?? '') as number | string,
  centsPerDay: (saved.centsPerDay ?? '') as number | string,
  callsPerLine: (saved.callsPerLine ?? 1) as number | string,
  quietFrom: shownTime(saved.quietFrom),
  quietUntil: shownTime(saved.quietUntil),
  blockedNumbers: saved.blockedNumbers ?? [],
  retryMinutes: (saved.retryMinutes ?? []).map(String),
  mostCalls: (saved.mostCalls ?? 4) as number | string,
});

const LABELS: Partial<Record<keyof FaxSettings, string>> = {
  timeZone: 'Time zone',
  areaCode: 'Area code',
  callsPerLine: 'Simultaneous calls per number',
  mostCalls: 'Maximum attempts',
  retryMinutes: 'Minutes between attempts',
  pagesPerDay: 'Pages per day',
  centsPerPage: 'Cost per page (cents)',
  centsPerDay: 'Cents per day',
  quietFrom: 'Quiet from',
  quietUntil: 'Quiet until',
  blockedNumbers: 'Blocked fax numbers',
};

function SettingsForm({ saved }: { saved: FaxSettings }) {
  const { form, busy, formErrors, onSubmit } = useServerForm({
    initialValues: valuesOf(saved),
    validate: {
      retryMinutes: (v) => (v.every((m) => /^\d+$/.test(m)) ? null : 'Please enter minutes only.'),
    },
    submit: async (v) => {
      const isSaved = await conflict.save((version) =>
        saveSettings({
          version,
          timeZone: v.timeZone,
          areaCode: v.areaCode || null,
          pagesPerDay: limit(v.pagesPerDay),
          centsPerPage: limit(v.centsPerPage),
          centsPerDay: limit(v.centsPerDay),
          callsPerLine: limit(v.callsPerLine) ?? 0,
          quietFrom: keptTime(v.quietFrom),
          quietUntil: keptTime(v.quietUntil),
          blockedNumbers: v.blockedNumbers,
          retryMinutes: v.retryMinutes.map(Number),
          mostCalls: limit(v.mostCalls) ?? 0,
        }),
      );
      if (isSaved) notify('success', 'The fax settings were saved.');
      return isSaved;
    },
  });
  const conflict = useConflict({
    saved,
    latest: () => queryClient.fetchQuery({ ...settingsQuery, staleTime: 0 }),
    what: 'set of fax settings',
    changes: changedFields(LABELS),
    button: 'Save settings',
    onLoad: (theirs) => form.setValues(valuesOf(theirs)),
  });
  const zones = ZONES.includes(saved.timeZone ?? '') ? ZONES : [saved.timeZone ?? 'UTC', ...ZONES];
  const number = { size: 'md', min: 0, allowDecimal: false, allowNegative: false, clampBehavior: 'none', w: 240 } as const;
  return (
    <Form onSubmit={onSubmit}>
      <LeaveGuard isDirty={() => form.isDirty()} subject="Fax settings" />
      {conflict.banner}
      <NoticeList kind="error" messages={formErrors} />
      <Section title="Place" text="Used for times on the pages, quiet hours and daily limits.">
        <div className="acc-form">
          <Select size="md" label="Time zone" required searchable data={zones} {...form.getInputProps('timeZone')} />
          <TextInput
            size="md"
            label="Area code"
            description="Used for numbers entered without one."
            w={240}
            maxLength={3}
            {...form.getInputProps('areaCode')}
          />
        </div>
      </Section>
      <Section title="Calls" text="A number that may be reached later is called again after these pauses.">
        <div className="acc-form">
          <NumberInput label="Simultaneous calls per number" required {...number} {...form.getInputProps('callsPerLine')} />
          <NumberInput label="Maximum attempts" required {...number} {...form.getInputProps('mostCalls')} />
          <TagInput
            size="md"
            label="Minutes between attempts"
            description="Before the second, third and later calls."
            {...form.getInputProps('retryMinutes')}
          />
        </div>
      </Section>
      <Section title="Limits" text="Faxes over a daily limit wait for the next day.">
        <div className="acc-form">
          <NumberInput label="Pages per day" {...number} {...form.getInputProps('pagesPerDay')} />
          <NumberInput label="Cost per page (cents)" {...number} {...form.getInputProps('centsPerPage')} />
          <NumberInput label="Cents per day" {...number} {...form.getInputProps('centsPerDay')} />
        </div>
      </Section>
      <Section title="Quiet hours" text="Faxes wait until they are over.">
        <div className="acc-form acc-pair">
          <TextInput size="md" type="time" label="From" {...form.getInputProps('quietFrom')} />
          <TextInput size="md" type="time" label="Until" {...form.getInputProps('quietUntil')} />
        </div>
      </Section>
      <Section title="Blocked numbers" text="Nothing is sent to them.">
        <div className="acc-form">
          <TagInput size="md" label="Blocked fax numbers" {...form.getInputProps('blockedNumbers')} />
        </div>
      </Section>
      <div className="acc-buttons">
        <Button type="submit" loading={busy}>
          Save settings
        </Button>
      </div>
    </Form>
  );
}
