import { Select } from '@mantine/core';
import { useServerForm } from '@/shared/form/useServerForm';
import { FormDialog } from '@/shared/ui/FormDialog';
import { sendFailedAgain } from './api';

const HOUR_MS = 3_600_000;
const SPANS = [
  { value: '1', label: 'The last hour' },
  { value: '24', label: 'The last day' },
  { value: '168', label: 'The last seven days' },
  { value: '8760', label: 'All stored events' },
];

type Props = { id: string; onClose: () => void; onSent: (count: number, hasMore: boolean) => Promise<void> };

/** Resends the events that failed since a time. */
export function ResendDialog({ id, onClose, onSent }: Props) {
  const { form, busy, formErrors, onSubmit } = useServerForm({
    initialValues: { hours: '24' },
    submit: async ({ hours }) => {
      const { data } = await sendFailedAgain(id, new Date(Date.now() - Number(hours) * HOUR_MS).toISOString());
      onClose();
      await onSent(data?.count ?? 0, data?.hasMore ?? false);
    },
  });
  return (
    <FormDialog title="Send failed again" label="Send again" {...{ busy, formErrors, onSubmit, onClose }}>
      <Select size="md" label="Events of" data={SPANS} allowDeselect={false} data-autofocus {...form.getInputProps('hours')} />
    </FormDialog>
  );
}
