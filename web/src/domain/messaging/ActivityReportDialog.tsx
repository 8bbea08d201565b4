import { Checkbox } from '@mantine/core';
import { now } from '@/shared/clock';
import { ReportDates } from '@/shared/form/ReportDates';
import { FileFormat } from '@/shared/form/FileFormat';
import { useServerForm } from '@/shared/form/useServerForm';
import { notify } from '@/shared/notify';
import { reportDateErrors, reportRange } from '@/shared/rules/dates';
import { EVENT_TYPES, REPORT_SIZE } from '@/shared/rules/events';
import { FormDialog } from '@/shared/ui/FormDialog';
import { saveActivityReport } from './api';

/** The message events of the organization, as a file. */
export function ActivityReportDialog({ onClose }: { onClose: () => void }) {
  const { form, ...rest } = useServerForm({
    initialValues: { ...reportRange(now()), eventTypes: [...EVENT_TYPES] as string[], form: 'csv' },
    validate: {
      start: (_, { start, end }) => reportDateErrors({ start, end }, now()).start ?? null,
      end: (_, { start, end }) => reportDateErrors({ start, end }, now()).end ?? null,
      eventTypes: (types) => (types.length > 0 ? null : 'Choose at least one event.'),
    },
    submit: async ({ start, end, eventTypes, form }) => {
      const count = await saveActivityReport({ start, end }, eventTypes, form === 'pdf');
      if (count === null) return;
      if (count < REPORT_SIZE) notify('success', 'The activity report was saved.');
      else notify('info', 'The file holds the newest 10,000 events. Choose an earlier period for older ones.');
      onClose();
    },
  });
  return (
    <FormDialog title="Activity report" label="Download" onClose={onClose} {...rest}>
      <ReportDates start={form.getInputProps('start')} end={form.getInputProps('end')} />
      <Checkbox.Group
        label="Events"
        description="Message events on these days, one per line, newest first, without subjects or patients."
        {...form.getInputProps('eventTypes')}
      >
        <div className="cp-eventtypes">
          {EVENT_TYPES.map((type) => (
            <Checkbox key={type} value={type} label={type} />
          ))}
        </div>
      </Checkbox.Group>
      <FileFormat {...form.getInputProps('form')} />
    </FormDialog>
  );
}
