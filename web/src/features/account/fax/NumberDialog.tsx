import { Select, TextInput } from '@mantine/core';
import type { FaxProvider, FaxSource } from '@/api/types';
import { FaxInput, TagInput } from '@/shared/form/inputs';
import { changedFields, useConflict } from '@/shared/form/conflict';
import { useServerForm } from '@/shared/form/useServerForm';
import { notify } from '@/shared/notify';
import { FormDialog } from '@/shared/ui/FormDialog';
import { addNumber, readNumber, saveNumber } from './api';

type Props = { number: FaxSource | null; providers: FaxProvider[]; onClose: () => void };

const LABELS = { displayName: 'Name', provider: 'Provider', callers: 'Callers', senderIds: 'Sender IDs' } as const;

const valuesOf = (number: FaxSource | null, providers: FaxProvider[]) => ({
  fullAddress: number?.displayAddress ?? '',
  displayName: number?.displayName ?? '',
  provider: number?.provider ?? providers[0]?.provider ?? 'embedded',
  callers: number?.callers ?? [],
  senderIds: number?.senderIds ?? [],
});

/** Creates or edits a fax number. */
export function NumberDialog({ number, providers, onClose }: Props) {
  const conflict = useConflict<FaxSource>({
    saved: number,
    latest: () => readNumber(number!.id),
    what: 'fax number',
    changes: changedFields(LABELS),
    button: 'Save',
    onLoad: (theirs) => form.setValues(valuesOf(theirs, providers)),
  });
  const { form, ...rest } = useServerForm({
    initialValues: valuesOf(number, providers),
    validate: { fullAddress: (v) => (number || v.trim() ? null : 'Enter a fax number.') },
    submit: async (values) => {
      const body = { ...values, directAddressType: 'fax' };
      const isSaved = await conflict.save((version) => (number ? saveNumber(number.id, { ...body, version }) : addNumber(body)));
      if (!isSaved) return false;
      notify('success', number ? 'The fax number was saved.' : 'The fax number was added. Test and activate it to send from it.');
      onClose();
    },
  });
  return (
    <FormDialog title={number ? number.displayAddress : 'Add fax number'} label="Save" onClose={onClose} {...rest}>
      {conflict.banner}
      {!number && (
        <FaxInput data-autofocus size="md" label="Fax number" required autoComplete="off" {...form.getInputProps('fullAddress')} />
      )}
      <TextInput size="md" label="Name" maxLength={100} autoComplete="off" {...form.getInputProps('displayName')} />
      <Select
        size="md"
        label="Provider"
        required
        allowDeselect={false}
        data={providers.map((p) => ({ value: p.provider, label: p.name }))}
        {...form.getInputProps('provider')}
      />
      <TagInput
        size="md"
        label="Callers"
        description="Receives faxes from these numbers when the dialled number is unknown."
        {...form.getInputProps('callers')}
      />
      <TagInput
        size="md"
        label="Sender IDs"
        description="Receives faxes from machines with these sender IDs when no number is known."
        {...form.getInputProps('senderIds')}
      />
    </FormDialog>
  );
}
